//! What the tests need on a fresh machine. Whatever is missing is installed; what cannot be installed is named, and
//! the step fails: no test is left out because a program is not there.

use std::ffi::OsStr;
use std::process::Command;

use crate::process;

#[cfg(test)]
mod tests;

/// The version that is installed where there is none.
const NEXTEST_VERSION: &str = "0.9.143";

/// Something to be found on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// A program on the search path.
    Program(&'static str),
    /// `python3 -m pip`.
    Pip,
}

/// Who wants it, and which Debian package brings it.
const NEEDS: &[(Need, &str, &str)] = &[
    (Need::Program("chromium"), "chromium", "the page of the demo is tested in a browser"),
    (Need::Program("chromedriver"), "chromium-driver", "the tests drive the browser through it"),
    (Need::Pip, "python3-pip", "the demo fetches its data set as a Python package"),
];

/// How this user installs Debian packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Installer {
    Directly,
    ThroughSudo,
}

/// Installs what is missing.
pub(crate) fn provide(cargo: &OsStr) -> Result<(), String> {
    provide_nextest(cargo)?;
    let packages = missing_packages(is_there);
    if packages.is_empty() {
        println!("Debian packages: all there");
        return Ok(());
    }
    println!("Debian packages to install: {}", packages.join(" "));
    let is_root = process::output(Command::new("id").arg("-u"))?.trim() == "0";
    let installer = installer(is_root, process::is_installed("apt-get"), process::is_installed("sudo"))
        .ok_or_else(|| cannot_install(&packages))?;
    process::run(&mut apt_get(installer, &["update"]))?;
    let mut install = apt_get(installer, &["install", "-y", "--no-install-recommends"]);
    process::run(install.args(&packages))?;
    let still_missing = missing_packages(is_there);
    if still_missing.is_empty() { Ok(()) } else { Err(cannot_install(&still_missing)) }
}

fn provide_nextest(cargo: &OsStr) -> Result<(), String> {
    if process::succeeds(Command::new(cargo).args(["nextest", "--version"])) {
        println!("cargo-nextest: there");
        return Ok(());
    }
    println!("cargo-nextest: building version {NEXTEST_VERSION}");
    let mut install = Command::new(cargo);
    install.args(["install", "cargo-nextest", "--locked", "--version", NEXTEST_VERSION]);
    process::run(&mut install)
}

/// Packages whose content is not there, in the order of the table.
fn missing_packages(is_there: impl Fn(Need) -> bool) -> Vec<&'static str> {
    NEEDS.iter().filter(|(need, _, _)| !is_there(*need)).map(|(_, package, _)| *package).collect()
}

fn is_there(need: Need) -> bool {
    match need {
        Need::Program(name) => process::is_installed(name),
        Need::Pip => process::succeeds(Command::new("python3").args(["-m", "pip", "--version"])),
    }
}

fn installer(is_root: bool, has_apt: bool, has_sudo: bool) -> Option<Installer> {
    match (has_apt, is_root, has_sudo) {
        (true, true, _) => Some(Installer::Directly),
        (true, false, true) => Some(Installer::ThroughSudo),
        _ => None,
    }
}

fn apt_get(installer: Installer, arguments: &[&str]) -> Command {
    let mut command = match installer {
        Installer::Directly => Command::new("env"),
        Installer::ThroughSudo => {
            let mut sudo = Command::new("sudo");
            // Without a question for the password: there is nobody to answer.
            sudo.args(["--non-interactive", "env"]);
            sudo
        }
    };
    command.arg("DEBIAN_FRONTEND=noninteractive").arg("apt-get").args(arguments);
    command
}

fn cannot_install(packages: &[&str]) -> String {
    let reasons: Vec<String> = NEEDS
        .iter()
        .filter(|(_, package, _)| packages.contains(package))
        .map(|(_, package, why)| format!("\n  {package}: {why}"))
        .collect();
    format!(
        "install these Debian packages, or what brings the same programs, and come back:{}",
        reasons.concat()
    )
}
