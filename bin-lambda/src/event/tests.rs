use super::*;

fn tasks_of(json: &str) -> Result<Vec<Task>, EventError> {
    match read(json)? {
        Event::Work(tasks) => Ok(tasks),
        Event::Request(event) => panic!("{:?}", event.gateway),
    }
}

#[test]
fn a_schedule_names_its_tasks() {
    let rule = |detail: &str| format!(r#"{{"detail-type":"Scheduled Event","source":"aws.events","detail":{detail}}}"#);
    for detail in ["{}", r#""{}""#, "null", r#"{"otro":1}"#] {
        assert_eq!(tasks_of(&rule(detail)), Ok(Task::ALL.to_vec()), "{detail}");
    }
    for (input, tasks) in [
        (r#"{"svc":"all"}"#.to_owned(), &Task::ALL[..]),
        (r#"{"svc":"deliver"}"#.to_owned(), &[Task::Deliver]),
        (r#"{"svc":["clean-up","stamp","stamp"]}"#.to_owned(), &[Task::Stamp, Task::CleanUp]),
        (rule(r#"{"svc":"stamp"}"#), &[Task::Stamp]),
        (rule(r#""{\"svc\":\"stamp\"}""#), &[Task::Stamp]),
        (r#"{"source":"erp","detail-type":"x","detail":{"svc":"stamp"}}"#.to_owned(), &[Task::Stamp]),
    ] {
        assert_eq!(tasks_of(&input), Ok(tasks.to_vec()), "{input}");
    }
    for wrong in [r#"{"svc":"sing"}"#, r#"{"svc":1}"#, r#"{"svc":[]}"#, r#"{"svc":["stamp",1]}"#, r#"{"svc":null}"#] {
        let events = [wrong.to_owned(), rule(wrong)];
        assert!(events.iter().any(|json| tasks_of(json) == Err(EventError::Work)), "{wrong}");
    }
}

#[test]
fn an_unknown_event_is_named_by_its_fields() {
    let sqs = read(r#"{"Records":[{"body":"secreto"}],"x":1}"#).err().unwrap();
    assert!(sqs.to_string().ends_with("its fields are: Records, x"), "{sqs}");
    for (json, said) in [
        ("{}", "its fields are: none"),
        (
            r#"{"source":"aws.s3","detail-type":"Object Created","detail":{}}"#,
            "its fields are: source, detail-type, detail",
        ),
        (r#"{"requestContext":{"connectionId":"a","eventType":"CONNECT"}}"#, "requestContext"),
        (
            r#"{"type":"REQUEST","methodArn":"a","httpMethod":"GET","requestContext":{}}"#,
            "methodArn, httpMethod, requestContext",
        ),
        (r#"{"type":"REQUEST","routeArn":"a","requestContext":{"http":{}}}"#, "routeArn, requestContext"),
        ("null", "line 1"),
        ("[]", "its fields are: none"),
        (r#""secreto""#, "line 1"),
        (r#"{"requestContext":{"http":{"method":3}}}"#, "line 1"),
    ] {
        let error = read(json).err().unwrap().to_string();
        assert!(error.contains(said) && !error.contains("secreto"), "{json}: {error}");
    }
}
