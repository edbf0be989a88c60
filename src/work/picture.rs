//! Decodes a picture of a conversation, to be shown.

use std::io::Cursor;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageReader, Limits};

use crate::record::work::{DecodedPicture, Done};
use crate::settings::limits;

/// Decodes the picture in a data URL. Fails with a sentence if it is none, is damaged or takes too much memory.
pub(super) fn decode(url: &str) -> Done {
    let decoded = url
        .split_once(',')
        .and_then(|(_, base64)| STANDARD.decode(base64).ok())
        .ok_or_else(|| "its data is not base64".to_owned())
        .and_then(|bytes| pixels(&bytes));
    match decoded {
        Ok(pixels) => {
            let size = (pixels.width(), pixels.height());
            let most = limits::PICTURE_SHOWN;
            let shown = if size.0.max(size.1) > most { pixels.thumbnail(most, most) } else { pixels };
            Done::Picture(DecodedPicture { size, pixels: Arc::new(shown) })
        }
        Err(why) => Done::Failed(format!("This image cannot be shown: {why}.").into()),
    }
}

fn pixels(bytes: &[u8]) -> Result<DynamicImage, String> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|error| error.to_string())?;
    let mut most = Limits::default();
    most.max_image_width = Some(limits::PICTURE_SIDE);
    most.max_image_height = Some(limits::PICTURE_SIDE);
    most.max_alloc = Some(limits::PICTURE_MEMORY);
    reader.limits(most);
    reader.decode().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use image::{ImageFormat, RgbImage};

    use super::*;

    fn url(bytes: &[u8]) -> String {
        format!("data:image/png;base64,{}", STANDARD.encode(bytes))
    }

    fn failure(url: &str) -> String {
        let Done::Failed(why) = decode(url) else { panic!("it is decoded") };
        why.line().into_owned()
    }

    #[test]
    fn each_format_is_decoded_and_a_large_picture_made_smaller() {
        for (format, size, shown) in [
            (ImageFormat::Png, (40, 20), (40, 20)),
            (ImageFormat::Jpeg, (40, 20), (40, 20)),
            (ImageFormat::Gif, (8, 8), (8, 8)),
            (ImageFormat::WebP, (8, 8), (8, 8)),
            (ImageFormat::Png, (2 * limits::PICTURE_SHOWN, 10), (limits::PICTURE_SHOWN, 5)),
        ] {
            let mut bytes = Cursor::new(Vec::new());
            let picture = RgbImage::from_pixel(size.0, size.1, image::Rgb([200, 100, 50]));
            DynamicImage::from(picture).write_to(&mut bytes, format).unwrap();
            let Done::Picture(decoded) = decode(&url(bytes.get_ref())) else { panic!("{format:?}") };
            assert_eq!((decoded.size, (decoded.pixels.width(), decoded.pixels.height())), (size, shown), "{format:?}");
        }
    }

    #[test]
    fn what_is_no_picture_or_too_large_is_said() {
        let mut header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        header.extend([[0, 1, 0, 0], [0, 1, 0, 0]].concat());
        header.extend([8, 2, 0, 0, 0]);
        let crc = flate2::Crc::new();
        let mut crc = crc;
        crc.update(&header[12..]);
        header.extend(crc.sum().to_be_bytes());
        for bytes in [&b"just text"[..], b"\x89PNG\r\n\x1a\nbut no more", &header] {
            let why = failure(&url(bytes));
            assert!(why.starts_with("This image cannot be shown: ") && why.len() < 200, "{why}");
        }
        assert_eq!(failure("no data URL"), "This image cannot be shown: its data is not base64.");
        assert_eq!(failure("data:image/png;base64,%%"), "This image cannot be shown: its data is not base64.");
    }
}
