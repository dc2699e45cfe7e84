use super::{Installer, Need, cannot_install, installer, missing_packages};

#[test]
fn only_what_is_missing_is_installed() {
    assert!(missing_packages(|_| true).is_empty());
    assert_eq!(missing_packages(|_| false), ["chromium", "chromium-driver", "python3-pip"]);
    assert_eq!(missing_packages(|need| need != Need::Program("chromedriver")), ["chromium-driver"]);
    assert_eq!(missing_packages(|need| need != Need::Pip), ["python3-pip"]);
}

#[test]
fn packages_are_installed_as_root_or_through_sudo_or_not_at_all() {
    assert_eq!(installer(true, true, false), Some(Installer::Directly));
    assert_eq!(installer(true, true, true), Some(Installer::Directly));
    assert_eq!(installer(false, true, true), Some(Installer::ThroughSudo));
    assert_eq!(installer(false, true, false), None);
    assert_eq!(installer(true, false, true), None);
}

#[test]
fn what_cannot_be_installed_is_named_with_its_reason() {
    let message = cannot_install(&["chromium-driver"]);
    assert!(message.contains("chromium-driver: the tests drive"), "{message}");
    assert!(!message.contains("python3-pip"), "{message}");
}
