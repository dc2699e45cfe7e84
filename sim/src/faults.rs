//! Failing calls, full disks, and crashes with what follows them.

use std::io::ErrorKind as Io;

use kv0::{Db, ErrorKind};
use kv0_env::memory::Failure;

use crate::driver::{Driver, Verdict, same, wrong};
use crate::steps::{Fault, Recovery};

impl Driver {
    pub(crate) fn plan(&mut self, fault: &Fault) {
        let kind = if fault.is_full { Io::StorageFull } else { Io::Other };
        let failure = if fault.lasts { Failure::from_then_on(kind) } else { Failure::once(kind) };
        let failure = match fault.effect {
            None => failure,
            Some(u64::MAX) => failure.after_full_effect(),
            Some(bytes) => failure.after_writing(usize::try_from(bytes).unwrap_or(usize::MAX)),
        };
        self.world.files.fail_at(self.world.files.operations() + fault.after, failure);
        self.is_faulty = true;
    }

    pub(crate) fn fill_disk(&mut self, spare: u64) {
        self.world.files.set_capacity(Some(self.world.files.used_bytes() + spare));
        self.is_faulty = true;
    }

    pub(crate) fn mend(&mut self) {
        self.world.files.clear_failures();
        self.world.files.set_capacity(None);
        self.is_faulty = false;
    }

    /// Closes, or only lets go, and opens again.
    pub(crate) fn reopen(&mut self, is_closed: bool) -> Verdict {
        if is_closed {
            let result = self.handles()?.db.close();
            if self.judge("close", result, true)?.is_some() {
                (self.acknowledged, self.durable) = (self.model.position(), self.model.position());
            }
        }
        self.detach();
        match Db::open_in(self.world.env(), self.options.clone()) {
            Ok(db) => self.verify_opened(db, false),
            Err(error) if self.is_faulty && error.kind() == ErrorKind::Unavailable => {
                self.counted.errors += 1;
                // A process that cannot open ends.
                self.world.kill();
                self.world.files.clear_failures();
                self.open_and_verify(false)
            }
            Err(error) => Err(format!("open again: {error:?}")),
        }
    }

    /// A crash, perhaps more of them during the recovery, and what must hold then.
    pub(crate) fn crash(&mut self, recovery: &Recovery, is_power_cut: bool) -> Verdict {
        self.counted.crashes += 1;
        self.die(is_power_cut, recovery.seed);
        let mut was_cut = is_power_cut;
        for (round, &(calls, cuts)) in (1..).zip(&recovery.interruptions) {
            let failure = Failure::from_then_on(Io::Other);
            self.world.files.fail_at(self.world.files.operations() + calls, failure);
            let result = Db::open_in(self.world.env(), self.options.clone());
            if let Err(error) = &result
                && error.kind() != ErrorKind::Unavailable
            {
                return Err(format!("recovery cut short at call {calls}: {error:?}"));
            }
            self.die(cuts, recovery.seed + round);
            drop(result);
            was_cut |= cuts;
        }
        self.open_and_verify(was_cut)?;
        if recovery.is_repeated {
            let position = self.model.position();
            self.die(true, recovery.seed + 1_000);
            self.open_and_verify(true)?;
            same("position after a second recovery", &self.model.position(), &position)?;
        }
        Ok(())
    }

    fn die(&mut self, is_power_cut: bool, seed: u64) {
        self.world.files.clear_failures();
        match is_power_cut {
            true => self.world.power_cut(seed),
            false => self.world.kill(),
        }
        self.detach();
    }

    /// Opens after a crash. Nothing fails now, though the disk may still be full.
    fn open_and_verify(&mut self, was_cut: bool) -> Verdict {
        let db = Db::open_in(self.world.env(), self.options.clone()).map_err(wrong("open after a crash"))?;
        self.verify_opened(db, was_cut)
    }
}
