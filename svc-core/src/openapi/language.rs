/// A language of the OpenAPI document and of the texts in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// English (`en`), the default.
    #[default]
    English,
    /// Spanish (`es`).
    Spanish,
}

impl Language {
    /// Every language, the default first.
    pub const ALL: [Self; 2] = [Self::English, Self::Spanish];

    /// The ISO 639-1 code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
        }
    }

    /// The language with that ISO 639-1 code, in lower case; `None` if there is none.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// Picks one of two texts.
    pub const fn say<'a>(self, english: &'a str, spanish: &'a str) -> &'a str {
        match self {
            Self::English => english,
            Self::Spanish => spanish,
        }
    }
}
