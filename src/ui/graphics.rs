//! Pictures on the screen: how the terminal shows them, and a picture that is fitted to an area.

use std::fmt;
use std::sync::Arc;

use image::DynamicImage;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::widgets::Widget;
use ratatui_image::picker::{Picker, ProtocolType};
use ratatui_image::protocol::Protocol as Encoded;
use ratatui_image::{FilterType, Image, Resize};

/// How a terminal shows pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Not at all.
    #[default]
    None,
    /// As characters, two pixels in each.
    HalfBlocks,
    /// By kitty's graphics protocol.
    Kitty,
    /// By iTerm2's inline images.
    Iterm2,
    /// As sixels.
    Sixel,
}

/// What is known of a terminal's graphics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Graphics {
    /// How pictures are shown.
    pub protocol: Protocol,
    /// Width and height of a character cell in pixels.
    pub cell: (u16, u16),
}

impl Graphics {
    /// Returns them without pictures that are made of block characters.
    #[must_use]
    pub fn without_blocks(self) -> Self {
        let protocol = if self.protocol == Protocol::HalfBlocks { Protocol::None } else { self.protocol };
        Self { protocol, ..self }
    }
}

/// A picture, encoded for the terminal and the area where it was last shown.
pub struct Picture {
    pixels: Arc<DynamicImage>,
    /// What it was last fitted to, and the result; `None` inside: it cannot be shown so.
    fitted: Option<((Size, Graphics), Option<Encoded>)>,
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Picture").finish_non_exhaustive()
    }
}

impl Picture {
    /// Creates a picture.
    pub fn new(pixels: Arc<DynamicImage>) -> Self {
        Self { pixels, fitted: None }
    }

    /// Encodes the picture for an area, unless it is already; it is made smaller to fit, and larger only as characters.
    pub fn fit(&mut self, area: Rect, graphics: Graphics) {
        let wanted = (area.as_size(), graphics);
        if self.fitted.as_ref().is_none_or(|(fitted_to, _)| *fitted_to != wanted) {
            self.fitted = Some((wanted, self.encode(wanted.0, graphics)));
        }
    }

    fn encode(&self, size: Size, graphics: Graphics) -> Option<Encoded> {
        let smooth = Some(FilterType::Triangle);
        let (protocol, resize) = match graphics.protocol {
            Protocol::None => return None,
            // The larger, the more of it can be seen.
            Protocol::HalfBlocks => (ProtocolType::Halfblocks, Resize::Scale(smooth)),
            Protocol::Kitty => (ProtocolType::Kitty, Resize::Fit(smooth)),
            Protocol::Iterm2 => (ProtocolType::Iterm2, Resize::Fit(smooth)),
            Protocol::Sixel => (ProtocolType::Sixel, Resize::Fit(smooth)),
        };
        // Asking the terminal would take keys that the event loop reads.
        #[expect(deprecated)]
        let mut picker = Picker::from_fontsize(graphics.cell.into());
        picker.set_protocol_type(protocol);
        let pixels = DynamicImage::clone(&self.pixels);
        picker.new_protocol(pixels, size, resize).ok()
    }

    /// Draws the picture in the middle of the area that it was fitted to. Returns whether it could be drawn.
    pub fn render(&self, area: Rect, buf: &mut Buffer) -> bool {
        let Some((_, Some(encoded))) = &self.fitted else { return false };
        let Size { width, height } = encoded.size();
        if width > area.width || height > area.height {
            return false;
        }
        let (x, y) = (area.x + (area.width - width) / 2, area.y + (area.height - height) / 2);
        Image::new(encoded).render(Rect { x, y, width, height }, buf);
        true
    }
}
