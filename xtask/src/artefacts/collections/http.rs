//! The requests as a file that the HTTP clients of editors read.

use anyhow::Result;

use super::{
    super::files::json,
    steps::Step,
    variables::{BASE_URL, UPLOAD, Variable, Variables},
};

/// What a reader of the file has to know.
const HEAD: &str = "\
# Every operation in an order in which each succeeds, for JetBrains IDEs and httpyac. Made by `cargo xtask regen`.
#
# The values are those of the sandbox, which has to be started with `--replies observed`: it then returns the address of
# an upload as deployed services do. Set them to your own for a service, but beware: the last requests change and delete
# data. In VS Code's REST Client, which has no scripts, delete the line with `client.global.set`, and add a line
# `@uploadUrl = ...` with the address from the reply.
";

/// The file.
pub fn requests(variables: &Variables, steps: &[Step<'_>]) -> Result<String> {
    let mut file = HEAD.to_owned() + "\n";
    for Variable { name, value } in &variables.list {
        file += &format!("@{name} = {value}\n");
    }
    for step in steps {
        file += &match step {
            Step::Call { operation, header, body, gives } => {
                let header = header.map(|(name, variable)| format!("{name}: {{{{{variable}}}}}\n")).unwrap_or_default();
                let script = gives.map(|upload| {
                    format!("\n> {{% client.global.set(\"{UPLOAD}\", response.body.{}); %}}\n", upload.address)
                });
                format!(
                    "\n### {}\n# @name {}\nPOST {{{{{BASE_URL}}}}}{}\nContent-Type: application/json\n{header}\n{}{}",
                    operation.summary,
                    operation.id,
                    operation.path,
                    json(body)?,
                    script.unwrap_or_default(),
                )
            }
            Step::Put { body, .. } => format!(
                "\n### Upload a file to that address\n# @name upload\nPUT {{{{{UPLOAD}}}}}\n\
                 Content-Type: application/json\n\n{}",
                json(body)?,
            ),
        };
    }
    Ok(file)
}
