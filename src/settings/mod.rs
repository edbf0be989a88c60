//! Profiles, key sources and limits: flags > environment > config file > defaults.

pub mod bindings_file;
mod certificates;
mod config;
pub mod edit;
pub mod edit_fields;
pub mod effective;
mod file_faults;
pub mod keep;
pub mod keyring;
pub mod limits;
mod load;
pub mod model_params;
pub mod paths;
mod prices;
pub mod profile;
mod profiles;
pub(crate) mod read;
mod resolve;
mod set_params;
mod set_price;
pub mod templates;
mod terminal;
pub mod theme_files;
mod toml_values;

pub use certificates::Authorities;
pub use keyring::KeyringEntry;
pub use load::{Flags, Loaded, Settings, Unusable, check_files, enter_newline};
pub use paths::Paths;
pub use prices::{PriceRow, url_origin};
pub use profile::{Endpoint, KeySource, Profile, ProfileId, Proxy, Route, origin, parts};
pub use profiles::Profiles;
pub use resolve::resolve;
pub use set_params::set_params;
pub use set_price::set_price;
pub use terminal::{Notify, TerminalUse};
pub use theme_files::THEMES;
