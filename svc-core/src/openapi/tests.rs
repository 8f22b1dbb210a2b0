use super::*;

#[test]
fn dump() {
    for language in Language::ALL {
        let document = openapi(language, "https://erp.example.com/api/v1");
        std::fs::write(format!("/tmp/openapi-{}.json", language.code()), serde_json::to_string_pretty(&document).unwrap()).unwrap();
    }
}
