//! The damages that may pass.

use super::damage::Damage;

/// Damages that may pass, and why.
pub struct Accepted {
    damages: &'static [Damage],
    /// The last keys of the location.
    locations: &'static [&'static str],
    pub reason: &'static str,
}

/// What is listed here changes the copies of the document only, such as `connector.json`.
pub const ALL: &[Accepted] = &[
    Accepted {
        damages: &[Damage::Doubled, Damage::TakenOut],
        locations: &[
            "info.description",
            "servers.variables.base_url.description",
            "{$request.body#/webhook}.post.description",
            "securitySchemes.headerKey.description",
        ],
        reason: "a line of prose is missing or repeated that is in no other generated file",
    },
    Accepted {
        damages: &[Damage::TakenOut],
        locations: &["info.license", "info.license.url"],
        reason: "a licence may be named without its address, or not at all",
    },
    Accepted {
        damages: &[Damage::Misspelt],
        locations: &["callbacks.outcome"],
        reason: "the name of a callback is arbitrary, and nothing refers to it",
    },
    Accepted {
        damages: &[Damage::TakenOut],
        locations: &["{$request.body#/webhook}.post.responses.4XX"],
        reason: "the statuses with which a receiver refuses a callback are its own choice",
    },
];

/// The index of the reason why a damage may pass.
pub fn reason(damage: Damage, location: &str) -> Option<usize> {
    let matches = |of: &&str| location == *of || location.ends_with(&format!(".{of}"));
    let accepts = |accepted: &Accepted| accepted.damages.contains(&damage) && accepted.locations.iter().any(matches);
    ALL.iter().position(accepts)
}
