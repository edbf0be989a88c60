//! Puts the program together: passes settings to the shell and to the effect handler, and starts the local service.
//!
//! The first frame is drawn before everything else.

mod commands;
mod profiles;
mod stderr;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use benchtop::app::desktop::DesktopNotifications;
use benchtop::app::effects::{Addresses, Runtime, RuntimeConfig, ServicesConfig, Window};
use benchtop::app::input::Keys;
use benchtop::app::run::{Exit, Receivers};
use benchtop::app::screen::Screen;
use benchtop::app::terminal::Tty;
use benchtop::app::{
    App, Event, Start, crash, graphics, hyperlinks, key_bindings, log, osc, own_themes, run, signals, system_limits,
};
use benchtop::cli::{Fault, Flags};
use benchtop::component::session::{Found, TerminalFeatures};
use benchtop::component::{EnterKeys, Session};
use benchtop::service::serve::{self, ServeArgs};
use benchtop::service::share::Local;
use benchtop::settings::{self, Endpoint, KeySource, Loaded, ProfileId, Settings, limits};
use benchtop::ui::theme::{Appearance, Background, Terminal as Colours};
use benchtop::ui::time::Zone;
use benchtop::{component, process, tabs};
use ratatui::Terminal;
use tokio::runtime;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

pub(crate) use self::commands::{
    is_accessible, print, print_profiles, print_words, run_command, run_config, run_doctor, run_plain,
};
use self::profiles::{SharedProfiles, check_variable, env, key_variables, name, shown};
use self::stderr::Stderr;

/// Time for tasks to end after the last frame.
const SHUTDOWN: Duration = Duration::from_millis(300);
/// Time to wait for the terminal's answer about its background: a connection around the world takes less.
const BACKGROUND_ANSWER: Duration = Duration::from_millis(400);

/// The error when the workbench has ended, and not everything is stored.
#[derive(Debug, thiserror::Error)]
#[error("not everything could be saved: {0}")]
pub(crate) struct Unsaved(String);

/// Returns the data directory of the local service alone: a flag's or the platform's; `data` is the one of `--data`. Fails
/// with a sentence if there are two, if none is known, or if a flag means nothing there.
fn service_data(flags: &Flags, data: Option<&Path>) -> anyhow::Result<PathBuf> {
    let useless = [
        ("--profile", flags.profile.is_some()),
        ("--base-url", flags.base_url.is_some()),
        ("--model", flags.model.is_some()),
    ];
    if let Some((flag, _)) = useless.into_iter().find(|(_, is_given)| *is_given) {
        anyhow::bail!("{flag} chooses what benchtop uses, and serve is a server itself: remove it");
    }
    match (data, flags.data_dir.as_deref()) {
        (Some(_), Some(_)) => anyhow::bail!("--data is the same as --data-dir: give only one of them"),
        (Some(data), None) | (None, Some(data)) => Ok(data.to_owned()),
        (None, None) => {
            let paths = settings::Paths::find(flags.config.as_deref(), None).map_err(anyhow::Error::msg)?;
            Ok(paths.data)
        }
    }
}

/// Runs `benchtop serve`. Returns the process's exit status. Fails with a sentence if it cannot begin.
pub(crate) fn serve(flags: &Flags, args: ServeArgs) -> anyhow::Result<u8> {
    let data = service_data(flags, args.data.as_deref())?;
    // Internal errors are logged there, as in the workbench. Standard error stays the caller's.
    drop(log::start(&data));
    serve::run(args, &data).map(|()| 0)
}

/// Runs the workbench. Returns the process's exit status. Fails with a sentence if the terminal, the system's resources
/// or the settings do not permit it.
pub(crate) fn workbench(flags: &Flags, fault: Option<Fault>) -> anyhow::Result<u8> {
    if std::env::var("TERM").is_ok_and(|term| term == "dumb") {
        anyhow::bail!("this terminal (TERM=dumb) cannot place text; `benchtop --plain` works in it, line by line");
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
    runtime.block_on(async { signals::watch_signals(&sender, &tty) })?;
    let ended = tty
        .enter(plan.settings.mouse)
        .map_err(Into::into)
        .and_then(|()| on_screen(&runtime, &tty, &data, plan, fault, (sender, events)));
    tty.leave();
    // A command that prints a key may wait for its user, who has left.
    process::stop_all();
    runtime.shutdown_timeout(SHUTDOWN);
    drop(stderr);
    let (exit, saved) = ended?;
    saved.map_err(Unsaved)?;
    Ok(exit.status())
}

/// Runs the workbench while the terminal is taken. Returns how it ended and whether everything is stored.
fn on_screen(
    runtime: &runtime::Runtime,
    tty: &Tty,
    data: &Path,
    plan: StartPlan,
    fault: Option<Fault>,
    (sender, events): (UnboundedSender<Event>, UnboundedReceiver<Event>),
) -> anyhow::Result<(Exit, Result<(), String>)> {
    let colours = Colours::from_env(|name| std::env::var(name).ok());
    // The keyboard is asked once this answer is there, so the question is sent also where the colour is not used.
    let can_ask = std::env::var("TERM").is_ok_and(|term| term != "linux");
    let fits_background = can_ask && plan.settings.theme.is_none() && colours_matter(colours);
    let background = if fits_background { Background::Asked } else { Background::Unknown };
    let mut app = App::new(plan.start(colours, background), Instant::now(), run::unix_ms());
    let mut screen = Terminal::new(Screen::new(tty.frames()))?;
    // The first frame needs only the settings. Everything else follows it.
    run::draw(&mut screen, &mut app)?;
    Stderr::into_log(log::start(data));
    runtime.block_on(async {
        let (config, services) = plan.runtime(tty, fits_background);
        let (mut handler, progress) = Runtime::new(config, services, sender.clone());
        let mut receivers = Receivers { progress, events };
        let gone = tty.clone();
        if can_ask {
            tty.send(osc::QUESTION)?;
        }
        if fits_background {
            tokio::spawn(give_up_on_background(sender.clone()));
        }
        signals::watch_terminal(sender, move || gone.leave());
        fail_as_asked(fault);
        let mut input = Keys::default();
        let exit = run::run(&mut screen, &mut input, &mut app, &mut handler, &mut receivers).await;
        for effect in app.before_quit(Instant::now(), run::unix_ms()) {
            run::EffectHandler::perform(&mut handler, effect);
        }
        // The terminal is restored while the last records are written.
        tty.leave();
        let say = |words: &str| drop(tty.send(format!("benchtop: {words}\r\n").as_bytes()));
        let saved = handler.close(&mut receivers.events, say).await;
        // A terminal that can be neither read nor written is gone, whoever noticed first.
        let exit = exit.unwrap_or_else(|why| {
            tracing::error!(%why, "the terminal failed");
            Exit::Hangup
        });
        anyhow::Ok((exit, saved))
    })
}

/// Returns whether surfaces are mixed from the background's colour.
fn colours_matter(colours: Colours) -> bool {
    !colours.no_colour && (colours.true_colour || colours.indexed)
}

/// Reports that the terminal does not answer, unless its background is known by then.
async fn give_up_on_background(sender: UnboundedSender<Event>) {
    tokio::time::sleep(BACKGROUND_ANSWER).await;
    drop(sender.send(Event::Background(Background::Unknown)));
}

/// Panics where the self-check asks for it.
fn fail_as_asked(fault: Option<Fault>) {
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

/// Returns the flags that decide on the settings.
fn settings_flags(flags: &Flags) -> settings::Flags {
    settings::Flags {
        base_url: flags.base_url.clone(),
        model: flags.model.clone(),
        profile: flags.profile.clone(),
        data_dir: flags.data_dir.clone(),
        config: flags.config.clone(),
        theme: flags.theme.clone(),
        local: flags.local,
        ascii: flags.ascii,
    }
}

/// The settings, prepared for the start.
struct StartPlan {
    settings: Settings,
    warnings: Vec<String>,
    config_error: Option<String>,
}

impl StartPlan {
    fn of(flags: &Flags) -> Result<Self, settings::Unusable> {
        if !flags.local && flags.profile.as_ref().is_none_or(|name| *name == ProfileId::env().0) {
            ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID"].into_iter().try_for_each(check_variable)?;
        }
        let Loaded { settings, warnings, config_error } = Settings::load(&settings_flags(flags), env)?;
        if let Some(KeySource::Env(name)) = settings.profiles.get(&settings.profile).map(|profile| &profile.key) {
            check_variable(name)?;
        }
        Ok(Self { settings, warnings, config_error })
    }

    /// Returns what the shell starts with.
    fn start(&self, colours: Colours, background: Background) -> Start {
        let (own, wrong) = own_themes::load(&self.settings.paths);
        let keys = key_bindings::load(&self.settings.paths.bindings(), self.settings.enter_newline);
        let mut appearance = Appearance { choice: None, own, terminal: colours, background };
        appearance.choice = self.settings.theme.as_deref().and_then(|name| appearance.named(name));
        Start {
            tabs: tabs::all(),
            appearance,
            session: self.session(),
            profiles: shown(&self.settings.profiles, &self.settings.prices),
            mouse: self.settings.mouse,
            warnings: [&*self.warnings, &*wrong, &*keys].concat(),
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
            zone: Zone::System,
            motion: self.settings.motion,
            terminal: terminal_features(self.settings.terminal.ascii),
            found: Found {
                config: self.settings.paths.config.display().to_string().into(),
                env_key: env("OPENAI_API_KEY").is_some_and(|key| !key.trim().is_empty()),
            },
            ..Session::default()
        }
    }

    /// Returns what the effect handler starts with.
    fn runtime(self, tty: &Tty, fits_background: bool) -> (RuntimeConfig, ServicesConfig) {
        let settings = self.settings;
        let paths = settings.paths;
        let secrets = key_variables(&settings.profiles);
        let profiles = Arc::new(SharedProfiles::new(settings.profiles, settings.prices, paths.clone()));
        let services = services_config(&paths, &profiles);
        let config = RuntimeConfig {
            tty: tty.clone(),
            fits_background,
            bindings: paths.bindings(),
            enter_newline: settings.enter_newline,
            data: paths.data,
            add_profile: {
                let profiles = Arc::clone(&profiles);
                Arc::new(move |new| profiles.add(new))
            },
            open_profile: {
                let profiles = Arc::clone(&profiles);
                Arc::new(move |id| profiles.open(id))
            },
            change_profile: {
                let profiles = Arc::clone(&profiles);
                Arc::new(move |change| profiles.change(change))
            },
            replace_key: {
                let profiles = Arc::clone(&profiles);
                Arc::new(move |key| profiles.replace_key(key))
            },
            remember: Arc::new(move |choice| profiles.remember(choice)),
            window: Window {
                has_title: settings.terminal.title,
                notifications: DesktopNotifications::detect(settings.terminal.notify, env),
            },
            secrets: secrets.into(),
        };
        (config, services)
    }
}

/// Returns what the terminal supports, and what of it is used.
fn terminal_features(ascii: bool) -> TerminalFeatures {
    let graphics = graphics::detect(env);
    let graphics = if ascii { graphics.without_blocks() } else { graphics };
    TerminalFeatures { hyperlinks: hyperlinks::detect(env), graphics, ascii }
}

/// Returns what client, store and work threads start with.
fn services_config(paths: &settings::Paths, profiles: &Arc<SharedProfiles>) -> ServicesConfig {
    let (service, profiles) = (paths.data.clone(), Arc::clone(profiles));
    ServicesConfig {
        store: paths.store(),
        local: ProfileId::local(),
        start_local: Box::new(move |addresses| tokio::spawn(serve_locally(service.clone(), addresses))),
        resolve: Arc::new(move |id| profiles.resolve(id)),
    }
}

/// Joins or starts the local service and sends its address, for as long as somebody receives it.
async fn serve_locally(data: PathBuf, addresses: Addresses) {
    let joined = tokio::select! {
        joined = Local::join_or_start(&data) => joined,
        // The program ends.
        () = addresses.closed() => return,
    };
    let local = match joined {
        Ok(local) => local,
        Err(why) => return drop(addresses.send(Err(format!("the local service could not be started: {why}")))),
    };
    let mut address = local.address();
    loop {
        let now = address.borrow_and_update().clone();
        let takeover_limit = if now.mine { Duration::ZERO } else { limits::TAKEOVER };
        let endpoint = Endpoint { takeover_limit, ..Endpoint::new(now.base_url, Some(now.key)) };
        if addresses.send(Ok(Arc::new(endpoint))).is_err() {
            break;
        }
        let changed = async {
            if address.changed().await.is_err() {
                // The address will not change any more.
                std::future::pending::<()>().await;
            }
        };
        tokio::select! { () = changed => {}, () = addresses.closed() => break }
    }
    local.leave().await;
}
