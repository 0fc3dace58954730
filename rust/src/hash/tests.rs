//! What the hashes promise beyond the golden data, which `tests/vectors.rs` reads.

use super::*;

fn counting(len: usize) -> Vec<u8> {
    (0..len).map(|i| i as u8).collect()
}

fn hashers() -> Vec<Hasher> {
    let secret = Secret::new([7; 16]);
    vec![
        Hasher::fnv_splitmix(),
        Hasher::xxh3(0),
        Hasher::xxh3(99),
        Hasher::xxh64(5),
        Hasher::siphash13(&secret),
        Hasher::siphash24(&secret),
    ]
}

#[test]
fn siphash24_matches_its_authors_table() {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&counting(16));
    let hasher = Hasher::siphash24(&Secret::new(bytes));
    let published = [
        (0, 0x726f_db47_dd0e_0e31),
        (1, 0x74f8_39c5_93dc_67fd),
        (7, 0xab02_00f5_8b01_d137),
        (8, 0x93f5_f579_9a93_2462),
        (15, 0xa129_ca61_49be_45e5),
        (63, 0x958a_324c_eb06_4572),
    ];
    for (len, expected) in published {
        assert_eq!(
            hasher.hash(&counting(len)).bits(),
            expected,
            "{} bytes",
            len
        );
    }
}

#[test]
fn many_keys_hash_as_each_alone() {
    for hasher in hashers() {
        for count in 0..13 {
            let keys: Vec<Vec<u8>> = (0..count).map(|i| counting(i * 7 % 23)).collect();
            let mut out = vec![Hash::new(1); count];
            hasher.hash_many(&keys, &mut out);
            let alone: Vec<Hash> = keys.iter().map(|key| hasher.hash(key)).collect();
            assert_eq!(out, alone, "{:?}, {} keys", hasher, count);
        }
    }
}

#[test]
fn an_integer_is_its_eight_bytes() {
    for hasher in hashers() {
        assert_eq!(
            hasher.hash_key(0x0102u64),
            hasher.hash(&[2, 1, 0, 0, 0, 0, 0, 0])
        );
        assert_eq!(hasher.hash_key(-1i64), hasher.hash(&[0xff; 8]));
    }
}

#[test]
fn a_secret_is_32_digits_and_one_line_end() {
    let digits = "000102030405060708090a0B0c0D0e0f";
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&counting(16));
    for end in ["", "\n", "\r\n"] {
        let text = format!("{}{}", digits, end);
        assert_eq!(Secret::from_text(text.as_bytes()), Ok(Secret::new(bytes)));
    }
    let refused = [
        String::new(),
        digits[1..].to_string(),
        format!("{}0", digits),
        format!("{}\n\n", digits),
        format!(" {}", digits),
        format!("{}g", &digits[1..]),
        format!("+{}", &digits[1..]),
        format!("0x{}", &digits[2..]),
    ];
    for text in refused {
        assert!(Secret::from_text(text.as_bytes()).is_err(), "{:?}", text);
    }
}

#[test]
fn a_wrong_secret_is_an_error_and_never_shown() {
    let right = Secret::new([1; 16]);
    let wrong = Secret::new([2; 16]);
    let spec = Hasher::siphash13(&right).spec();
    assert_eq!(spec.hasher(Some(&right)), Ok(Hasher::siphash13(&right)));
    for secret in [None, Some(&wrong)] {
        let error = spec.hasher(secret).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WrongSecret);
    }
    assert!(Hasher::xxh3(1).spec().hasher(Some(&right)).is_err());
    assert!(!format!("{:?} {:?}", right, Hasher::siphash13(&right)).contains("0101"));
}

#[test]
fn numbers_and_names_lead_back_to_the_hash() {
    for id in HashId::ALL {
        assert_eq!(HashId::from_number(id as u16), Some(id));
        assert_eq!(HashId::from_name(id.name()), Some(id));
    }
    assert_eq!(HashId::from_number(0), None);
    assert_eq!(HashId::from_number(6), None);
    assert_eq!(HashId::from_name("XXH3"), None);
}
