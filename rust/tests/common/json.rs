//! A reader for the JSON of the golden data: well-formed, few escapes. Numbers stay text, so that 64-bit
//! integers and shortest decimals keep all their digits.

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub fn parse(text: &str) -> Json {
        let mut reader = Reader(text.trim_start());
        let value = reader.value();
        assert!(reader.0.is_empty(), "text after the end");
        value
    }

    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(fields) => fields.iter().find(|f| f.0 == name).map(|f| &f.1),
            _ => None,
        }
    }

    fn field(&self, name: &str) -> &Json {
        self.get(name)
            .unwrap_or_else(|| panic!("no field {} in {:?}", name, self))
    }

    /// The rows of a list, which must have some: a test over none would pass whatever happens.
    pub fn rows(&self, name: &str) -> &[Json] {
        match self.field(name) {
            Json::List(rows) if !rows.is_empty() => rows,
            other => panic!("{} is no list with rows: {:?}", name, other),
        }
    }

    pub fn fields(&self, name: &str) -> &[(String, Json)] {
        match self.field(name) {
            Json::Object(fields) => fields,
            other => panic!("{} is no object: {:?}", name, other),
        }
    }

    pub fn text(&self, name: &str) -> &str {
        self.field(name).as_text()
    }

    pub fn as_text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            other => panic!("no text: {:?}", other),
        }
    }

    pub fn number<T: std::str::FromStr>(&self, name: &str) -> T {
        self.maybe_number(name)
            .unwrap_or_else(|| panic!("{} is null", name))
    }

    /// A number, or `None` for null.
    pub fn maybe_number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        match self.field(name) {
            Json::Null => None,
            Json::Number(text) => Some(text.parse().ok().unwrap_or_else(|| panic!("{}", text))),
            other => panic!("{} is no number: {:?}", name, other),
        }
    }
}

struct Reader<'a>(&'a str);

impl Reader<'_> {
    fn skip(&mut self, expected: &str) -> bool {
        match self.0.strip_prefix(expected) {
            Some(rest) => {
                self.0 = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn value(&mut self) -> Json {
        if self.skip("null") {
            Json::Null
        } else if self.skip("true") {
            Json::Bool(true)
        } else if self.skip("false") {
            Json::Bool(false)
        } else if self.0.starts_with('"') {
            Json::Text(self.string())
        } else if self.skip("[") {
            Json::List(self.list("]", Reader::value))
        } else if self.skip("{") {
            Json::Object(self.list("}", |reader| {
                let name = reader.string();
                assert!(reader.skip(":"));
                (name, reader.value())
            }))
        } else {
            let end = self
                .0
                .find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
            let number = self.0[..end.unwrap_or(self.0.len())].to_string();
            assert!(!number.is_empty(), "no value at {:.20}", self.0);
            self.skip(&number);
            Json::Number(number)
        }
    }

    fn list<T>(&mut self, end: &str, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        while !self.skip(end) {
            items.push(item(self));
            let more = self.skip(",");
            assert!(more || self.0.starts_with(end), "at {:.20}", self.0);
        }
        items
    }

    fn string(&mut self) -> String {
        let body = self.0.strip_prefix('"').expect("a string");
        let mut text = String::new();
        let mut characters = body.chars();
        loop {
            match characters.next().expect("the end of a string") {
                '"' => break,
                '\\' => text.push(match characters.next() {
                    Some('n') => '\n',
                    Some('u') => {
                        let mut code = four_digits(&mut characters);
                        if (0xd800..0xdc00).contains(&code) {
                            // The first half of a pair; the second follows as another escape.
                            assert_eq!(
                                (characters.next(), characters.next()),
                                (Some('\\'), Some('u'))
                            );
                            let low = four_digits(&mut characters) - 0xdc00;
                            code = 0x10000 + ((code - 0xd800) << 10) + low;
                        }
                        char::from_u32(code).expect("a character")
                    }
                    Some(c) if "\"\\/".contains(c) => c,
                    other => panic!("an escape that is not read: {:?}", other),
                }),
                c => text.push(c),
            }
        }
        self.0 = characters.as_str().trim_start();
        text
    }
}

fn four_digits(characters: &mut std::str::Chars<'_>) -> u32 {
    let digits: String = characters.by_ref().take(4).collect();
    u32::from_str_radix(&digits, 16).expect("four digits")
}
