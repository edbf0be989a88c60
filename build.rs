//! Leaves symbols out of optimised binaries: Cargo ignores `strip` in a profile once the crate has settings of its own in it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let set = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if set("PROFILE", "release") && set("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-s");
    }
}
