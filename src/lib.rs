//! benchtop: a terminal workbench for text models.
//!
//! The map, layer by layer. Imports run down, never up; sideways only `api` and `record` use `text`; and some modules below
//! are not to be used: `service` by `app`, `api`, `record`, `settings` and `disk` by `ui` (`tests/layers.rs` checks this):
//!
//! ```text
//! main · cli                                wires everything; the command line
//! app                                       the shell: loop, frames, focus, overlays
//! tabs · client · service · store · work    modules that do not import one another
//! component                                 what tabs are built from: events, effects, dialogs, pending requests
//! engine · dataset · vectors                the small local models; files of texts; numbers
//! tokens · ui                               libraries that do not import each other
//! settings · disk                           profiles, key sources, limits; the user's folders
//! api · process · record · text             the interface and what we keep, as data; programs that are run
//! ```
//!
//! Four walks, each a list of functions in the order they are called.
//!
//! **A key press**, a letter for Chat's message box:
//!
//! 1. `app/run.rs`: [`app::run::run`] takes the key from the terminal; `LoopState::handle_input`, `LoopState::update_all` and
//!    `LoopState::update` pass it on
//! 2. `app/mod.rs`: [`app::App::update`] sets the time and finds the kind of event
//! 3. `app/actions.rs`: `App::handle_input` separates keys from pastes, `App::handle_key` tries the shell's own keys and
//!    dialogs
//! 4. `app/route.rs`: `App::with_tab` gives it to the tab in front, and handles the [`component::Effect`]s it asks for
//! 5. `tabs/chat/mod.rs`: `Chat::key`; `tabs/chat/update.rs`: `Chat::on_key` tries dialogs, then the pane with the focus
//! 6. `tabs/chat/update.rs`: `Chat::composer_key`; `tabs/chat/keys.rs`: `find_in_composer` tries the table of keys, `COMPOSER`
//! 7. `ui/editor/keys.rs`: `Editor::key` inserts the letter
//! 8. `tabs/chat/composer.rs`: `Composer::typed` sets when the draft is saved and counted; `tabs/chat/drafts.rs`:
//!    `State::save_draft` saves it then
//! 9. `app/run.rs`: [`app::run::draw`] draws the next frame; `app/view.rs`: [`app::App::render`], `App::draw`
//! 10. `tabs/chat/mod.rs`: `Chat::render`; `tabs/chat/view.rs`: `ChatView::render` draws the tab
//!
//! **A message is sent** with Enter in Chat:
//!
//! 1. `tabs/chat/sending.rs`: `State::send` makes the turn and its request
//! 2. `tabs/chat/persistence.rs`: `State::commit` records the turn; nothing is sent before that is on disk
//! 3. `store/writer.rs`: `Writer::run` commits it; what the disk refuses waits in `store/waiting.rs` and is offered again, in order, by
//!    `Writer::attempt`
//! 4. `tabs/chat/persistence.rs`: `State::handle_stored` takes the store's answer
//! 5. `tabs/chat/answers.rs`: `State::start_request` begins
//! 6. `tabs/generation/streaming_run.rs`: `StreamingRun::send` asks for the call
//! 7. `client/answer.rs`: `request_answer` makes the request; `client/adapt.rs`: `post` sends it as this server is known to accept
//!    it, and once more after a refusal that names a field
//! 8. `client/http.rs`: `Http::exchange` sends it, again after a failure; `client/retry.rs`: `should_retry` says
//!    whether, `Retries::wait` when
//!
//! **A streamed token**, of an answer in Chat:
//!
//! 1. `client/sse.rs`: `events` cuts the body into events
//! 2. `client/answer.rs`: `forward_events` passes each to `client/streamed_answer.rs`: `StreamedAnswer::handle_event`, which parses it;
//!    `client/answer.rs`: `ChunkBatch::add` joins parts that come within a millisecond, `ChunkBatch::flush` forwards them
//! 3. `client/progress.rs`: `ProgressSender::reply` sends it with its ticket
//! 4. `app/run.rs`: [`app::run::run`] takes it from the channel
//! 5. `app/mod.rs`: [`app::App::update`]
//! 6. `app/route.rs`: `App::route_progress` looks the ticket's owner up, `App::with_tab` lets it handle the reply
//! 7. `tabs/chat/mod.rs`: `Chat::reply`; `tabs/chat/answers.rs`: `State::handle_progress` looks the conversation up
//! 8. `tabs/generation/streaming_run.rs`: `StreamingRun::handle_progress` turns it into parts of choices
//! 9. `tabs/chat/answers.rs`: `State::add_part` appends to the turn; `State::save_answer` saves what is new when
//!    `StreamingRun::save_round` says so, each second
//! 10. `app/run.rs`: [`app::run::draw`]
//!
//! **An upload**, begun with `U` in Files:
//!
//! 1. `tabs/files/actions.rs`: `State::begin_upload` asks for a path, or takes the marked files
//! 2. `tabs/files/actions.rs`: `State::plan` opens the plan, a dialog with each file and its purpose
//!    (`tabs/files/upload_plan/planned_file.rs`: `PlannedFile::check` has a training file checked)
//! 3. `tabs/files/actions.rs`: `State::send` takes each file of the plan
//! 4. `tabs/files/transfers.rs`: `Transfers::add` puts it in line, `Transfers::begin_waiting` takes the next; `tabs/files/transfer.rs`:
//!    `Transfer::begin` asks for the call
//! 5. `app/route.rs`: `App::handle_effect` notes the ticket's owner and passes the effect on; `app/run.rs`: `LoopState::perform`
//! 6. `app/effects/mod.rs`: `Runtime::perform`; `app/effects/reach.rs`: `Runtime::call`, `use_server` resolves the server, `use_endpoint` passes the
//!    call to [`client::Client::call`]
//! 7. `client/worker.rs`: `run` spawns a task for it
//! 8. `client/perform.rs`: `perform` chooses by the kind of call
//! 9. `client/upload.rs`: `upload` sends the file and reports bytes; after a lost connection it begins again at the first byte
//! 10. `tabs/files/state.rs`: `State::handle_progress` passes reports to `Transfers::handle_progress`;
//!     `tabs/files/transfer_outcome.rs`: `State::handle_transfer_outcome` lists the file
//!
//! Stopping is a drop: the tab cancels the ticket, the client aborts the task, the socket closes, the service's engine stops.

pub mod api;
pub mod app;
pub mod cli;
pub mod client;
pub mod component;
pub mod dataset;
pub mod disk;
pub mod engine;
pub mod process;
pub mod record;
pub mod service;
pub mod settings;
pub mod store;
pub mod tabs;
pub mod text;
pub mod tokens;
pub mod ui;
pub mod vectors;
pub mod work;
