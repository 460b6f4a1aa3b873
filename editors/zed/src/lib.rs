//! Starts gprof-lsp for Zed: the program that the settings name, else the one on the PATH.

use zed_extension_api::{self as zed, serde_json, settings::LspSettings};

struct Gprof;

/// What the user's settings have under `lsp.gprof-lsp`; nothing if they cannot be read.
fn settings(server: &zed::LanguageServerId, worktree: &zed::Worktree) -> LspSettings {
    LspSettings::for_worktree(server.as_ref(), worktree).unwrap_or_default()
}

impl zed::Extension for Gprof {
    fn new() -> Self {
        Gprof
    }

    fn language_server_command(
        &mut self,
        server: &zed::LanguageServerId,
        worktree: &zed::Worktree,
    ) -> zed::Result<zed::Command> {
        let (path, arguments, environment) = match settings(server, worktree).binary {
            Some(binary) => (binary.path, binary.arguments, binary.env),
            None => (None, None, None),
        };
        let command = path.or_else(|| worktree.which("gprof-lsp")).ok_or(
            "gprof-lsp is not on the PATH: install it, or name it in lsp.gprof-lsp.binary.path of the settings",
        )?;
        let mut env = worktree.shell_env();
        env.extend(environment.into_iter().flatten());
        Ok(zed::Command {
            command,
            args: arguments.unwrap_or_else(|| vec!["--stdio".into()]),
            env,
        })
    }

    fn language_server_initialization_options(
        &mut self,
        server: &zed::LanguageServerId,
        worktree: &zed::Worktree,
    ) -> zed::Result<Option<serde_json::Value>> {
        let found = settings(server, worktree);
        // The server takes its settings in either place; one of them is enough for the user.
        Ok(found.initialization_options.or(found.settings))
    }

    /// The server asks for the section `gprof`.
    fn language_server_workspace_configuration(
        &mut self,
        server: &zed::LanguageServerId,
        worktree: &zed::Worktree,
    ) -> zed::Result<Option<serde_json::Value>> {
        let found = settings(server, worktree).settings;
        Ok(found.map(|value| {
            let mut section = serde_json::Map::new();
            section.insert("gprof".into(), value);
            serde_json::Value::Object(section)
        }))
    }
}

zed::register_extension!(Gprof);
