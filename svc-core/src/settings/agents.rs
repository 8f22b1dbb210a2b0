//! Settings of the tools for agents.

use clap::Args;

use crate::mcp::Offer;

/// What agents may do, over the Model Context Protocol.
#[derive(Debug, Clone, Args)]
pub struct AgentSettings {
    /// Offer agents what reads, and nothing that writes.
    #[arg(long = "mcp-read-only", env = "SVC_MCP_READ_ONLY")]
    read_only: bool,
    /// Run an agent's write only with the digest of its rehearsal, at most 15 minutes old.
    #[arg(long = "mcp-confirm", env = "SVC_MCP_CONFIRM")]
    confirm: bool,
    /// Offer agents a tool for each operation that the key allows, instead of four to find,
    /// describe, rehearse and run operations.
    #[arg(long = "mcp-each", env = "SVC_MCP_EACH")]
    each: bool,
}

impl AgentSettings {
    /// Applies these settings to an offer.
    pub fn apply(&self, offer: Offer) -> Offer {
        offer.read_only(self.read_only).confirmed(self.confirm).each(self.each)
    }
}
