//! The mechanism that carries the messages of a case: a transport of this suite, or a program with its own.

use crate::program::Program;
use crate::transport::{Manner, Transport};
use roundtrip_wire::TransportInfo;
use std::sync::Arc;

/// A transport or a program.
#[derive(Clone)]
pub enum Mechanism {
    /// The harness starts peers of this suite that use it.
    Suite(&'static dyn Transport),
    /// The harness starts the program, which measures and reports with the protocol for programs.
    Program(Arc<Program>),
}

impl Mechanism {
    /// Name, family and semantics, recorded with every result.
    pub fn info(&self) -> TransportInfo {
        match self {
            Self::Suite(transport) => transport.info(),
            Self::Program(program) => program.info.clone(),
        }
    }

    /// The transport, if it is one of the suite.
    pub fn transport(&self) -> Option<&'static dyn Transport> {
        match self {
            Self::Suite(transport) => Some(*transport),
            Self::Program(_) => None,
        }
    }

    /// The program, if it is one.
    pub fn program(&self) -> Option<&Arc<Program>> {
        match self {
            Self::Suite(_) => None,
            Self::Program(program) => Some(program),
        }
    }

    /// The default behaviour. Programs decide theirs themselves.
    pub fn manner(&self) -> Manner {
        self.transport().map_or_else(Manner::default, Transport::manner)
    }

    /// Whether it is a ring of this suite.
    pub fn is_ring(&self) -> bool {
        self.transport().is_some_and(|transport| transport.ring().is_some())
    }
}

impl From<&'static dyn Transport> for Mechanism {
    fn from(transport: &'static dyn Transport) -> Self {
        Self::Suite(transport)
    }
}

impl From<Program> for Mechanism {
    fn from(program: Program) -> Self {
        Self::Program(Arc::new(program))
    }
}
