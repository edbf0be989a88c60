//! benchtop: a terminal workbench for text models.
//!
//! The map, layer by layer. Imports run down, never up; sideways only `api` and `record` use `text`. Besides, `app`
//! does not use `service`, and `ui` does not use `api`, `record`, `settings` and `disk` (`tests/layers.rs` checks this):
//!
//! ```text
//! main · wire · cli                         wires everything; the command line
//! commands                                  what runs without the screen: `benchtop chat` and the like
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
//! 3. `app/key_routing.rs`: `App::handle_input` separates keys from pastes, `App::handle_key` translates keys that go back and
//!    those of vim, `App::pass_key` tries the shell's own keys and dialogs
//! 4. `app/tab_effects.rs`: `App::with_tab` gives it to the tab in front, and handles the [`component::Effect`]s it asks for
//! 5. `tabs/chat/mod.rs`: `Chat::key`; `tabs/chat/update.rs`: `Chat::pass_key` tries dialogs, then the pane with the focus
//! 6. `tabs/chat/update.rs`: `Chat::composer_key`; `tabs/chat/keys.rs`: `find_in_composer` tries the tables of keys
//! 7. `tabs/chat/composer.rs`: `Composer::key`; `ui/editor/keys.rs`: `Editor::key` inserts the letter
//! 8. `tabs/chat/composer.rs`: `Composer::typed` and `Composer::changed` set when the draft is saved and counted;
//!    `tabs/chat/state.rs`: `State::tick` does it then; `tabs/chat/drafts.rs`: `Conversations::save_draft`;
//!    `tabs/chat/request_size.rs`: `Composer::count_request`
//! 9. `app/run.rs`: [`app::run::draw`] draws the next frame; `app/view.rs`: [`app::App::render`], `App::draw`
//! 10. `tabs/chat/mod.rs`: `Chat::render`; `tabs/chat/view.rs`: `ChatView::render` draws the tab
//!
//! **A message is sent** with Enter in Chat:
//!
//! 1. As above to `tabs/chat/update.rs`: `Chat::composer_key`; then `tabs/chat/update.rs`: `Chat::act`, `Chat::submit`, `Chat::send`;
//!    `tabs/chat/sending.rs`: `State::send` makes the turn
//! 2. `tabs/chat/conversations.rs`: `Conversations::commit` notes the request, which is not sent before the turn is on disk;
//!    `Conversations::write`;
//!    `component/saves.rs`: `Saves::save`; `component/context.rs`: `Cx::save` asks for the effect
//! 3. `app/tab_effects.rs`: `App::handle_effect`, `App::note_ticket` note the ticket's owner; `app/run.rs`: `LoopState::perform`;
//!    `app/effects/mod.rs`: `Runtime::perform`; `app/effects/services.rs`: `Services::perform`, `Services::send_to_store`; `store/mod.rs`: `Store::save`, `Store::send`
//! 4. `store/writer.rs`: `Writer::run`, `Writer::handle_requests`, `Writer::commit_new`, `Writer::commit_and_answer`,
//!    `Writer::try_commit`; `store/commit.rs`: `commit`; `store/write.rs`: `write`. What the disk refuses waits in
//!    `store/waiting.rs` and is offered again, in order, by `store/writer.rs`: `Writer::commit_all`
//! 5. `store/replies.rs`: `ReplySender::send`; `app/effects/services.rs`: `answer_sender` makes it an event; `app/run.rs`:
//!    `LoopState::handle_events`; `app/mod.rs`: [`app::App::update`]; `app/route.rs`: `App::route_stored` finds the tab
//! 6. `tabs/chat/mod.rs`: `Chat::reply`; `tabs/chat/persistence.rs`: `Conversations::handle_stored`, `Conversations::saved` take
//!    the store's answer; `tabs/chat/replies.rs`: `State::handle_stored` acts on what it means
//! 7. `tabs/chat/sending.rs`: `State::start_request` makes the request; `tabs/generation/streaming_run.rs`: `StreamingRun::send`;
//!    `component/context.rs`: `Cx::call_to` asks for the call
//! 8. `app/tab_effects.rs`: `App::handle_effect`; `app/effects/mod.rs`: `Runtime::perform`; `app/effects/services.rs`: `Services::perform`;
//!    `app/effects/reach.rs`: `Services::call`, `Services::use_server` resolves the server, `Services::use_endpoint`; `client/mod.rs`: [`client::Client::call`]
//! 9. `client/worker.rs`: `run` spawns a task; `client/perform.rs`: `perform` chooses by the kind of call; `client/answer.rs`:
//!    `request_answer`; `client/adapt.rs`: `post` sends the request as this server is known to accept it, and once more after a
//!    refusal that names a field
//! 10. `client/http.rs`: `Http::exchange`, `Http::attempt` send it, again after a failure; `client/retry.rs`: `should_retry` says
//!     whether, `Retries::wait_or_give_up` when
//!
//! **A streamed token**, of an answer in Chat:
//!
//! 1. `client/answer.rs`: `request_answer`, `read_stream`; `client/sse.rs`: `events` cuts the body into events
//! 2. `client/answer.rs`: `forward_events` passes each to `client/streamed_answer.rs`: `StreamedAnswer::handle_event`, which parses it;
//!    `client/answer.rs`: `ChunkBatch::add` joins parts that come within a millisecond, `ChunkBatch::flush` forwards them
//! 3. `client/progress.rs`: `ProgressSender::reply` sends it with its ticket
//! 4. `app/run.rs`: [`app::run::run`] takes it from the channel; `LoopState::update_all`, `LoopState::update`
//! 5. `app/mod.rs`: [`app::App::update`]
//! 6. `app/route.rs`: `App::route_progress` looks the ticket's owner up; `app/tab_effects.rs`: `App::with_tab` lets it handle the reply
//! 7. `tabs/chat/mod.rs`: `Chat::reply`; `tabs/chat/answers.rs`: `Conversations::handle_progress` looks the conversation up
//! 8. `tabs/generation/streaming_run.rs`: `StreamingRun::handle_progress` turns it into parts of choices
//! 9. `tabs/chat/answers.rs`: `OpenConversation::add_part` appends to the turn, `Conversations::save_answer` saves what is new;
//!    `tabs/chat/streaming_answer.rs`: `StreamingAnswer::save`; `tabs/generation/streaming_run.rs`: `StreamingRun::save_round`
//!    says whether it is time, each second
//! 10. `app/run.rs`: `LoopState::perform` carries the effects out, [`app::run::draw`] draws the next frame
//!
//! **An upload**, begun with `U` in Files:
//!
//! 1. `tabs/files/mod.rs`: `Files::key`; `tabs/files/update.rs`: `Files::on_key`, `Files::act`; `tabs/files/actions.rs`:
//!    `State::begin_upload` asks for a path, or takes the marked files
//! 2. `tabs/files/actions.rs`: `State::plan`; `tabs/files/dialogs.rs`: `State::show_plan`, `State::ask_purpose` ask for the purpose,
//!    `State::answer` takes it and opens the plan, a dialog with each file; `tabs/files/upload_plan/mod.rs`: `UploadPlan::choose`
//!    keeps the purpose, `UploadPlan::check` has training files checked; `tabs/files/upload_plan/planned_file.rs`: `PlannedFile::check`
//! 3. `tabs/files/upload_plan/mod.rs`: `UploadPlan::act`, `UploadPlan::submit` take Enter; `tabs/files/dialogs.rs`: `State::answer`,
//!    `State::plan_event`, `State::send_planned`; `tabs/files/actions.rs`: `State::send` takes each file of the plan
//! 4. `tabs/files/transfers.rs`: `Transfers::add` puts it in line, `Transfers::start_waiting_transfers` takes the next; `tabs/files/transfer.rs`:
//!    `Transfer::begin`; `component/context.rs`: `Cx::call_to` asks for the call
//! 5. `app/tab_effects.rs`: `App::handle_effect`, `App::note_ticket` note the ticket's owner and pass the effect on; `app/run.rs`: `LoopState::perform`
//! 6. `app/effects/mod.rs`: `Runtime::perform`; `app/effects/services.rs`: `Services::perform`; `app/effects/reach.rs`:
//!    `Services::call`, `Services::use_server` resolves the server, `Services::use_endpoint`; `client/mod.rs`: [`client::Client::call`]
//! 7. `client/worker.rs`: `run` spawns a task for it; `client/perform.rs`: `perform` chooses by the kind of call
//! 8. `client/upload.rs`: `upload`, `attempt` send the file and report bytes; after a lost connection it begins again at the first byte
//! 9. `app/run.rs`: [`app::run::run`] takes each report; `app/mod.rs`: [`app::App::update`]; `app/route.rs`: `App::route_progress`;
//!    `tabs/files/mod.rs`: `Files::reply`; `tabs/files/state.rs`: `State::handle_progress`
//! 10. `tabs/files/transfers.rs`: `Transfers::handle_progress`; `tabs/files/transfer_outcome.rs`: `State::handle_transfer_outcome`,
//!     `State::handle_upload` list the file; `tabs/files/transfers_view.rs`: `render` draws its bar
//!
//! Stopping is a drop: the tab cancels the ticket, the client aborts the task, the socket closes, the service's engine
//! stops.

pub mod api;
pub mod app;
pub mod cli;
pub mod client;
pub mod commands;
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
