//! The examples of the README, compiled and run as tests.

#![doc = include_str!("../../README.md")]
