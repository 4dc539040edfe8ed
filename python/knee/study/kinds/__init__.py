"""What study options are made of: their values, each kind read from words and from TOML, with its JSON schema."""
