use serde_json::json;
use svc_core::{Context, clean_up};

use crate::failure::Failure;
use crate::output::print;

/// One pass of the clean-up; prints how many rows it removed.
pub(super) async fn run(context: &Context) -> Result<(), Failure> {
    print(&json!({ "eliminados": clean_up(context).await? }))
}
