//! What the check needs of cargo's metadata.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// All packages that the lock file names, for all platforms.
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
    /// By package id: the ids that its normal and build dependencies were resolved to.
    built_with: BTreeMap<String, Vec<String>>,
}

pub(super) struct Package {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) licence: Option<String>,
    /// None for a package at a path.
    pub(super) source: Option<String>,
    pub(super) is_member: bool,
    pub(super) dependencies: Vec<Dependency>,
}

/// A line of a manifest.
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) is_dev: bool,
    /// Whether it names a registry, which only another one than the default needs.
    pub(super) names_registry: bool,
}

impl Metadata {
    pub(super) fn read(value: &Value) -> Result<Metadata, String> {
        let mut members = BTreeSet::new();
        for id in array(value, "workspace_members")? {
            members.insert(id.as_str().ok_or("a workspace member is not a string")?);
        }
        let mut packages = Vec::new();
        for package in array(value, "packages")? {
            packages.push(Package::read(package, &members)?);
        }
        let resolve = value.get("resolve").ok_or("no \"resolve\" in the metadata")?;
        let mut built_with = BTreeMap::new();
        for node in array(resolve, "nodes")? {
            built_with.insert(text(node, "id")?, built_with_of(node)?);
        }
        Ok(Metadata { packages, built_with })
    }

    /// The members and what they are built with, directly or not, leaving dev-dependencies out.
    pub(super) fn shipped(&self) -> Vec<&Package> {
        let mut reached = BTreeSet::new();
        let mut to_visit: Vec<&str> = self
            .packages
            .iter()
            .filter(|package| package.is_member)
            .map(|package| package.id.as_str())
            .collect();
        while let Some(id) = to_visit.pop() {
            if reached.insert(id) {
                to_visit.extend(self.built_with.get(id).into_iter().flatten().map(String::as_str));
            }
        }
        self.packages.iter().filter(|package| reached.contains(package.id.as_str())).collect()
    }
}

impl Package {
    fn read(value: &Value, members: &BTreeSet<&str>) -> Result<Package, String> {
        let id = text(value, "id")?;
        let mut dependencies = Vec::new();
        for dependency in array(value, "dependencies")? {
            dependencies.push(Dependency {
                name: text(dependency, "name")?,
                is_dev: optional_text(dependency, "kind").as_deref() == Some("dev"),
                names_registry: optional_text(dependency, "registry").is_some(),
            });
        }
        Ok(Package {
            name: text(value, "name")?,
            licence: optional_text(value, "license"),
            source: optional_text(value, "source"),
            is_member: members.contains(id.as_str()),
            dependencies,
            id,
        })
    }
}

fn built_with_of(node: &Value) -> Result<Vec<String>, String> {
    let mut ids = Vec::new();
    for dependency in array(node, "deps")? {
        let kinds = array(dependency, "dep_kinds")?;
        if kinds.iter().any(|kind| optional_text(kind, "kind").as_deref() != Some("dev")) {
            ids.push(text(dependency, "pkg")?);
        }
    }
    Ok(ids)
}

fn array<'a>(value: &'a Value, name: &str) -> Result<&'a Vec<Value>, String> {
    value.get(name).and_then(Value::as_array).ok_or_else(|| format!("no list {name:?} in the metadata"))
}

fn text(value: &Value, name: &str) -> Result<String, String> {
    optional_text(value, name).ok_or_else(|| format!("no text {name:?} in the metadata"))
}

fn optional_text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}
