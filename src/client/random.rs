//! Creates numbers and keys from the operating system's random source.

/// Returns 16 random bytes.
fn bytes() -> [u8; 16] {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the operating system's random source does not fail once it runs");
    bytes
}

/// Returns a number above 0, up to 1.
pub(super) fn fraction() -> f64 {
    let [a, b, c, d, ..] = bytes();
    (f64::from(u32::from_le_bytes([a, b, c, d])) + 1.0) / 2f64.powi(32)
}

/// Returns an idempotency key that no other request has.
pub(super) fn idempotency_key() -> String {
    format!("benchtop-{:032x}", u128::from_le_bytes(bytes()))
}
