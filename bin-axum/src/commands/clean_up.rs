use serde_json::json;
use svc_core::{Context, clean_up_telling};

use crate::failure::Failure;
use crate::output::print;
use crate::progress::Progress;

/// One pass of the clean-up; prints how many rows it removed.
pub(super) async fn run(context: &Context) -> Result<(), Failure> {
    let bar = Progress::new("rows", None);
    let removed = clean_up_telling(context, &mut |removed| bar.tell(removed)).await;
    bar.end();
    print(&json!({ "eliminados": removed? }))
}
