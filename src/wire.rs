//! The wiring: settings into the shell, the local service behind a closure, the first frame before everything else.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use benchtop::app::effects::{Addresses, Runtime, RuntimeConfig};
use benchtop::app::input::Keys;
use benchtop::app::run::{Exit, Receivers};
use benchtop::app::screen::Screen;
use benchtop::app::terminal::Tty;
use benchtop::app::{App, Event, Profile, Start, crash, hyperlinks, log, osc, run, signals, system_limits};
use benchtop::cli::{Fault, Flags};
use benchtop::component::{
    EditedProfile, EnterKeys, NewKeySource, NewProfile, ProfileChange, Session, StartupChoice, session::Found,
};
use benchtop::service::share::Local;
use benchtop::settings::{self, Endpoint, KeySource, Loaded, PriceRow, ProfileId, Profiles, Settings};
use benchtop::tokens::Tariff;
use benchtop::ui::theme::{Appearance, Background, Kind, Terminal as Colours};
use benchtop::ui::time::Zone;
use benchtop::{component, process, tabs};
use ratatui::Terminal;
use tokio::runtime;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

/// Time for tasks to end after the last frame.
const LAST: Duration = Duration::from_millis(300);
/// Time to wait for the terminal's answer about its background: a connection around the world takes less.
const ANSWER: Duration = Duration::from_millis(400);

/// Returns the data directory: the flag's or the platform's.
pub(crate) fn data_dir(flags: &Flags) -> PathBuf {
    settings::Paths::find(flags.config.as_deref(), flags.data_dir.as_deref()).data
}

/// Runs the workbench; returns the process's exit status. Fails with a sentence if the terminal, the system's resources
/// or the settings do not permit it.
pub(crate) fn workbench(flags: &Flags, fault: Option<Fault>) -> anyhow::Result<u8> {
    if std::env::var("TERM").is_ok_and(|term| term == "dumb") {
        anyhow::bail!("this terminal (TERM=dumb) cannot place text; start benchtop in another one");
    }
    system_limits::check().map_err(anyhow::Error::msg)?;
    let plan = StartPlan::of(flags)?;
    let data = plan.settings.paths.data.clone();
    let tty = Tty::open()?;
    let stderr = Stderr::keep();
    let (sender, events) = mpsc::unbounded_channel();
    let teller = sender.clone();
    crash::install(tty.clone(), data.clone(), stderr.file(), move |story| {
        let _ = teller.send(Event::LastingNotice(component::Notice::error(story)));
    });
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name(crash::TASKS)
        .thread_stack_size(1 << 20)
        .enable_all()
        .build()?;
    // Before the terminal is taken: whatever ends the program from here on must be able to restore it.
    runtime.block_on(async { signals::signals(&sender, &tty) })?;
    let ended = tty
        .enter(plan.settings.mouse)
        .map_err(Into::into)
        .and_then(|()| on_screen(&runtime, &tty, &data, plan, fault, (sender, events)));
    tty.leave();
    // A key command waits for its user, who is gone.
    process::stop_all();
    runtime.shutdown_timeout(LAST);
    drop(stderr);
    let (exit, saved) = ended?;
    saved.map_err(|why| anyhow::anyhow!("not everything could be saved: {why}"))?;
    Ok(exit.status())
}

/// Runs the workbench while the terminal is taken; returns how it ended and whether everything is stored.
fn on_screen(
    runtime: &runtime::Runtime,
    tty: &Tty,
    data: &Path,
    plan: StartPlan,
    fault: Option<Fault>,
    (sender, events): (UnboundedSender<Event>, UnboundedReceiver<Event>),
) -> anyhow::Result<(Exit, Result<(), String>)> {
    let colours = Colours::from_env(|name| std::env::var(name).ok());
    let asks = plan.settings.theme.is_none() && colours_matter(colours);
    let background = if asks { Background::Asked } else { Background::Unknown };
    let mut app = App::new(plan.start(colours, background), Instant::now(), run::unix_ms());
    let mut screen = Terminal::new(Screen::new(tty.frames()))?;
    // The first frame needs only the settings. Everything else follows it.
    run::draw(&mut screen, &mut app)?;
    Stderr::into_log(log::start(data));
    runtime.block_on(async {
        let (mut handler, progress) = Runtime::new(plan.runtime(tty), sender.clone());
        let mut receivers = Receivers { progress, events };
        let gone = tty.clone();
        if asks {
            tty.send(osc::QUESTION)?;
            tokio::spawn(give_up_on_background(sender.clone()));
        }
        signals::terminal(sender, move || gone.leave());
        fail(fault);
        let mut input = Keys::default();
        let exit = run::run(&mut screen, &mut input, &mut app, &mut handler, &mut receivers).await;
        for effect in app.before_quit(Instant::now(), run::unix_ms()) {
            run::EffectHandler::perform(&mut handler, effect);
        }
        // The terminal is restored while the last records are written.
        tty.leave();
        let saved = handler.close(&mut receivers.events).await;
        // A terminal that can be neither read nor written is gone, whoever noticed first.
        let exit = exit.unwrap_or_else(|why| {
            tracing::error!(%why, "the terminal failed");
            Exit::Hangup
        });
        anyhow::Ok((exit, saved))
    })
}

/// Returns whether the background's colour matters, and the terminal can be asked for it.
fn colours_matter(colours: Colours) -> bool {
    let asks = std::env::var("TERM").is_ok_and(|term| term != "linux");
    asks && !colours.no_colour && (colours.true_colour || colours.indexed)
}

/// Reports that the terminal does not answer, unless its background is known by then.
async fn give_up_on_background(sender: UnboundedSender<Event>) {
    tokio::time::sleep(ANSWER).await;
    drop(sender.send(Event::Background(Background::Unknown)));
}

/// Fails if the self-check wants it.
fn fail(fault: Option<Fault>) {
    match fault {
        None => {}
        Some(Fault::Screen) => panic!("a self-check asked for this"),
        Some(Fault::Thread) => {
            std::thread::spawn(|| panic!("a self-check asked for this"));
        }
        Some(Fault::Task) => {
            tokio::spawn(async { panic!("a self-check asked for this") });
        }
    }
}

/// Standard error, redirected to the log while the screen is taken: other output must not corrupt the screen.
struct Stderr {
    #[cfg(unix)]
    was: Option<std::os::fd::OwnedFd>,
}

impl Stderr {
    /// Stores where it points; dropping this restores it.
    #[cfg(unix)]
    fn keep() -> Self {
        use std::os::fd::AsFd as _;
        Self { was: std::io::stderr().as_fd().try_clone_to_owned().ok() }
    }

    #[cfg(not(unix))]
    fn keep() -> Self {
        Self {}
    }

    /// Redirects it to the log; without one, nowhere.
    #[cfg(unix)]
    fn into_log(log: Option<std::fs::File>) {
        if let Some(to) = log.or_else(|| std::fs::OpenOptions::new().write(true).open("/dev/null").ok()) {
            let _ = rustix::stdio::dup2_stderr(&to);
        }
    }

    #[cfg(not(unix))]
    fn into_log(_log: Option<std::fs::File>) {}

    /// Returns where it pointed before.
    #[cfg(unix)]
    fn file(&self) -> Option<std::fs::File> {
        self.was.as_ref().and_then(|was| was.try_clone().ok()).map(std::fs::File::from)
    }

    #[cfg(not(unix))]
    fn file(&self) -> Option<std::fs::File> {
        None
    }
}

#[cfg(unix)]
impl Drop for Stderr {
    fn drop(&mut self) {
        if let Some(was) = &self.was {
            let _ = rustix::stdio::dup2_stderr(was);
        }
    }
}

/// The settings, prepared for the start.
struct StartPlan {
    settings: Settings,
    warnings: Vec<String>,
}

impl StartPlan {
    fn of(flags: &Flags) -> Result<Self, settings::Unusable> {
        let flags = settings::Flags {
            base_url: flags.base_url.clone(),
            model: flags.model.clone(),
            profile: flags.profile.clone(),
            data_dir: flags.data_dir.clone(),
            config: flags.config.clone(),
            theme: flags.theme.clone(),
            local: flags.local,
        };
        let Loaded { settings, warnings } = Settings::load(&flags, env)?;
        Ok(Self { settings, warnings })
    }

    /// Returns what the shell starts with.
    fn start(&self, colours: Colours, background: Background) -> Start {
        let choice = self.settings.theme.as_deref().and_then(Kind::named);
        Start {
            tabs: tabs::all(),
            appearance: Appearance { choice, terminal: colours, background },
            session: self.session(),
            profiles: shown(&self.settings.profiles, &self.settings.prices),
            mouse: self.settings.mouse,
            warnings: self.warnings.clone(),
        }
    }

    fn session(&self) -> Session {
        let id = &self.settings.profile;
        let profile = self.settings.profiles.get(id);
        let model = profile.map(|profile| profile.model.as_str().into());
        Session {
            profile: id.clone(),
            profile_name: name(id, profile).into(),
            local: *id == ProfileId::local(),
            fine_tunes: profile.and_then(|profile| profile.fine_tunes),
            model: model.unwrap_or_default(),
            enter: EnterKeys { inserts_newline: self.settings.enter_newline, ..EnterKeys::default() },
            zone: Zone::system(),
            motion: self.settings.motion,
            hyperlinks: hyperlinks::supported(env),
            found: Found {
                config: self.settings.paths.config.display().to_string().into(),
                env_key: env("OPENAI_API_KEY").is_some_and(|key| !key.trim().is_empty()),
            },
            ..Session::default()
        }
    }

    fn runtime(self, tty: &Tty) -> RuntimeConfig {
        let settings = self.settings;
        let paths = settings.paths.clone();
        let secrets = secrets(&settings.profiles);
        // A variable that held a key still does when its profile has another.
        let (service, named) = (paths.data.clone(), secrets.clone());
        let profiles = Arc::new(Mutex::new(settings.profiles));
        let prices = settings.prices;
        let (known, found) = (Arc::clone(&profiles), paths.clone());
        let (writing, written) = (Arc::clone(&profiles), paths.clone());
        let (keyed, keys) = (Arc::clone(&profiles), paths.clone());
        let opened = paths.clone();
        let (changed, files, table) = (Arc::clone(&profiles), paths.clone(), prices.clone());
        let rekeyed_prices = prices.clone();
        RuntimeConfig {
            tty: tty.clone(),
            data: paths.data.clone(),
            store: paths.store(),
            local: ProfileId::local(),
            start_local: Box::new(move |addresses| drop(tokio::spawn(local(service.clone(), addresses)))),
            resolve: Arc::new(move |id| {
                let (profile, hidden) = {
                    let profiles = known.lock().unwrap_or_else(PoisonError::into_inner);
                    (profiles.get(id).cloned(), [&*named, &*self::secrets(&profiles)].concat())
                };
                let profile = profile.ok_or_else(|| format!("there is no profile {}: choose another", id.0))?;
                settings::resolve(&profile, &found, env, &hidden)
            }),
            add_profile: Arc::new(move |new| {
                // Locked while the file changes: of two concurrent changes one would be lost.
                let mut profiles = profiles.lock().unwrap_or_else(PoisonError::into_inner);
                if profiles.contains_key(&ProfileId(new.name.clone())) {
                    return Err(format!("there is a profile {} already: add this one with another name", new.name));
                }
                let (id, profile) = keep(new, &paths)?;
                profiles.insert(id, profile);
                Ok(shown(&profiles, &prices))
            }),
            open_profile: Arc::new(move |id| settings::edit_fields::open(&opened, id)),
            change_profile: Arc::new(move |change| {
                let mut profiles = changed.lock().unwrap_or_else(PoisonError::into_inner);
                let left = change_profile(change, &mut profiles, &files)?;
                Ok((shown(&profiles, &table), left))
            }),
            replace_key: Arc::new(move |key| {
                let mut profiles = keyed.lock().unwrap_or_else(PoisonError::into_inner);
                let profile = profiles.get_mut(&key.profile).ok_or("the profile is gone: choose another")?;
                profile.key = settings::keep::replace_key(&keys, &key.profile, profile, env, &key.key.into())?;
                Ok(shown(&profiles, &rekeyed_prices))
            }),
            remember: Arc::new(move |choice| {
                let mut profiles = writing.lock().unwrap_or_else(PoisonError::into_inner);
                remember(choice, &written, &mut profiles)
            }),
            secrets: secrets.into(),
        }
    }
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Returns a profile's name as shown. The profile of flags and environment has no name: its host is shown instead.
fn name(id: &ProfileId, profile: Option<&settings::Profile>) -> String {
    match profile {
        Some(profile) if *id == ProfileId::env() => {
            let origin = settings::origin(&profile.base_url);
            origin.split_once("://").map_or(origin, |(_, host)| host).to_owned()
        }
        _ => id.0.clone(),
    }
}

/// Returns the profiles as the shell shows them.
fn shown(profiles: &Profiles, prices: &[PriceRow]) -> Vec<Profile> {
    let show = |(id, profile): (&ProfileId, &settings::Profile)| {
        let local = *id == ProfileId::local();
        let host = if local { "inside benchtop".to_owned() } else { settings::parts(&profile.base_url).0.to_owned() };
        Profile {
            id: id.clone(),
            name: name(id, Some(profile)).into(),
            host: host.into(),
            model: profile.model.as_str().into(),
            key: profile.key.clone(),
            local,
            fine_tunes: profile.fine_tunes,
            params: profile.models.clone(),
            tariff: Tariff::new(&profile.base_url, &profile.prices, prices),
        }
    };
    profiles.iter().map(show).collect()
}

/// Returns the variables that hold keys, which children do not get.
fn secrets(profiles: &Profiles) -> Vec<String> {
    let named = profiles.values().filter_map(|profile| match &profile.key {
        KeySource::Env(name) => Some(name.clone()),
        _ => None,
    });
    std::iter::once("OPENAI_API_KEY".to_owned()).chain(named).collect()
}

/// Writes a new profile into the config file, and its key, if one was pasted, beside it.
fn keep(new: NewProfile, paths: &settings::Paths) -> Result<(ProfileId, settings::Profile), String> {
    let key = match new.key {
        NewKeySource::Env(name) => KeySource::Env(name),
        NewKeySource::Command(command) => KeySource::Command(command),
        NewKeySource::None => KeySource::None,
        NewKeySource::Pasted(key) => {
            settings::keep::keep_key(&paths.keys(), &new.name, settings::origin(&new.base_url), &key.into())?;
            KeySource::Kept(new.name.clone())
        }
    };
    let (id, mut profile) = (ProfileId(new.name), settings::Profile::new(new.base_url, key));
    profile.allow_http = new.allow_http;
    settings::keep::save_profile(&paths.config, &id, &profile)?;
    Ok((id, profile))
}

/// Changes a profile in the config file, and in memory. Returns what could not be done besides.
fn change_profile(
    change: ProfileChange,
    profiles: &mut Profiles,
    paths: &settings::Paths,
) -> Result<Option<String>, String> {
    use settings::edit;
    let mut left = None;
    match change {
        ProfileChange::Rename(from, to) => {
            left = edit::rename(paths, &from, &to)?;
            profiles.rename(&from, to.clone());
            if let Some(profile) = profiles.get_mut(&to) {
                profile.key = profile.key.renamed(&to.0);
            }
        }
        ProfileChange::Duplicate(from, to) => {
            edit::duplicate(paths, &from, &to)?;
            if let Some(profile) = profiles.get(&from).cloned() {
                let key = profile.key.renamed(&to.0);
                profiles.insert(to, settings::Profile { key, ..profile });
            }
        }
        ProfileChange::Delete(id) => {
            left = edit::delete(paths, &id)?;
            profiles.remove(&id);
        }
        ProfileChange::Edit(edited) => {
            let EditedProfile { opened, name, profile } = *edited;
            let id = if opened.exists() { opened.id.clone() } else { name.clone() };
            if id != name {
                edit::check_free(&paths.config, &name)?;
            }
            // The key is named after the profile, which gets its name when everything else is written.
            let written = settings::Profile { key: profile.key.renamed(&id.0), ..profile.clone() };
            settings::edit_fields::save(paths, &opened, &id, &written)?;
            profiles.insert(id.clone(), written);
            if id != name {
                left = edit::rename(paths, &id, &name)?;
                profiles.rename(&id, name.clone());
                profiles.insert(name, profile);
            }
        }
        ProfileChange::Up(id) => edit::shift(&paths.config, &id, true)?,
        ProfileChange::Down(id) => edit::shift(&paths.config, &id, false)?,
    }
    // What is written also counts if the file cannot be read again.
    if let Ok(order) = edit::order(&paths.config) {
        profiles.sort_as(&order);
    }
    Ok(left)
}

/// Stores a choice in the config file, a price of the environment's profile in the file of prices.
fn remember(choice: StartupChoice, files: &settings::Paths, profiles: &mut Profiles) -> Result<(), String> {
    let config = &files.config;
    match choice {
        // Without a file that says otherwise the local service is the first profile.
        StartupChoice::Profile(id) if id == ProfileId::local() && !config.exists() => Ok(()),
        StartupChoice::Profile(id) => settings::keep::set_default(config, &id),
        StartupChoice::Model(id, model) => {
            settings::keep::set_model(config, &id, model.raw())?;
            if let Some(profile) = profiles.get_mut(&id) {
                model.raw().clone_into(&mut profile.model);
            }
            Ok(())
        }
        StartupChoice::Price(id, row) => {
            let profile = profiles.get_mut(&id).ok_or("the profile is gone: choose another")?;
            settings::set_price(files, &id, &profile.base_url, &row)?;
            profile.prices.retain(|other| other.model != row.model || other.since.is_some());
            profile.prices.push(row);
            Ok(())
        }
        StartupChoice::Params(id, model, params) => {
            let profile = profiles.get_mut(&id).ok_or("the profile is gone: choose another")?;
            let model = model.line();
            settings::set_params(files, &id, &profile.base_url, &model, &params)?;
            settings::model_params::set(&mut profile.models, &model, *params);
            Ok(())
        }
    }
}

/// Joins or runs the local service and sends its address, for as long as somebody receives it.
async fn local(data: PathBuf, addresses: Addresses) {
    let local = match Local::join_or_start(&data).await {
        Ok(local) => local,
        Err(why) => return drop(addresses.send(Err(format!("the local service could not be started: {why}")))),
    };
    let mut address = local.address();
    loop {
        let now = address.borrow_and_update().clone();
        if addresses.send(Ok(Arc::new(Endpoint::new(now.base_url, Some(now.key))))).is_err() {
            break;
        }
        let changed = async {
            // An address that will not change again is not sent.
            if address.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! { () = changed => {}, () = addresses.closed() => break }
    }
    local.leave().await;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use benchtop::record::CompletionParams;
    use benchtop::settings::edit_fields::open;

    const FILE: &str = "[profiles.work]\nbase_url = \"https://a.example/v1\"\nmodel = \"small\"\n";

    fn work(folder: &Path) -> (settings::Paths, Profiles, ProfileId) {
        let config = folder.join("config.toml");
        std::fs::write(&config, FILE).unwrap();
        let (paths, id) = (settings::Paths::find(Some(&config), Some(folder)), ProfileId("work".into()));
        let mut profiles = Profiles::default();
        profiles.insert(id.clone(), open(&paths, &id).unwrap().profile);
        (paths, profiles, id)
    }

    #[test]
    fn a_chosen_model_is_that_of_the_profile_from_then_on() {
        let folder = tempfile::tempdir().unwrap();
        let (paths, mut profiles, id) = work(folder.path());
        remember(StartupChoice::Model(id.clone(), "large".into()), &paths, &mut profiles).unwrap();
        assert_eq!(profiles[&id].model, "large");
        assert_eq!(shown(&profiles, &[])[0].model.raw(), "large");
    }

    #[test]
    fn defaults_of_a_model_hold_until_none_is_set_any_more() {
        let folder = tempfile::tempdir().unwrap();
        let (paths, mut profiles, id) = work(folder.path());
        let common = benchtop::record::ChatParams { temperature: Some(0.5), ..Default::default() };
        for params in [CompletionParams { common, ..Default::default() }, CompletionParams::default()] {
            let is_set = params != CompletionParams::default();
            remember(StartupChoice::Params(id.clone(), "m".into(), Box::new(params)), &paths, &mut profiles).unwrap();
            assert_eq!(shown(&profiles, &[])[0].params.contains_key("m"), is_set);
            assert_eq!(std::fs::read_to_string(&paths.config).unwrap().contains("temperature = 0.5"), is_set);
        }
    }

    #[test]
    fn a_name_that_is_taken_in_the_file_is_refused_before_anything_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let (paths, mut profiles, id) = work(folder.path());
        let opened = open(&paths, &id).unwrap();
        let file = format!("{FILE}[profiles.home]\nbase_url = \"https://b.example/v1\"\n");
        std::fs::write(&paths.config, &file).unwrap();
        let profile = settings::Profile { model: "large".into(), ..opened.profile.clone() };
        let edited = EditedProfile { opened, name: ProfileId("home".into()), profile };
        let why = change_profile(ProfileChange::Edit(Box::new(edited)), &mut profiles, &paths).unwrap_err();
        assert!(why.contains("of this name already"), "{why}");
        assert_eq!(std::fs::read_to_string(&paths.config).unwrap(), file);
        assert_eq!(profiles[&id].model, "small");
    }
}
