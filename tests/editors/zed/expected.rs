
#[cfg(test)]
mod expected {
    use zed_extension_api::{serde_json::Value, settings::CommandSettings, settings::LspSettings};
    use zed_extension_api::{LanguageServerId, Worktree};

    fn server() -> LanguageServerId {
        LanguageServerId("gprof-lsp".into())
    }

    fn worktree(settings: Option<fn() -> LspSettings>) -> Worktree {
        Worktree {
            on_path: Some("/usr/bin/gprof-lsp".into()),
            environment: vec![("DEBUGINFOD_URLS".into(), String::new())],
            settings,
        }
    }

    #[test]
    fn the_server_of_the_path_is_started() {
        let command = super::registered().language_server_command(&server(), &worktree(None)).unwrap();
        assert_eq!(command.command, "/usr/bin/gprof-lsp");
        assert_eq!(command.args, ["--stdio"]);
        assert_eq!(command.env, [("DEBUGINFOD_URLS".to_string(), String::new())]);
    }

    #[test]
    fn the_one_of_the_settings_comes_first() {
        let tree = worktree(Some(|| LspSettings {
            binary: Some(CommandSettings {
                path: Some("/opt/gprof-lsp".into()),
                arguments: Some(vec!["--stdio".into(), "/work".into()]),
                env: Some([("TZ".to_string(), "UTC".to_string())].into()),
            }),
            ..Default::default()
        }));
        let command = super::registered().language_server_command(&server(), &tree).unwrap();
        assert_eq!(command.command, "/opt/gprof-lsp");
        assert_eq!(command.args, ["--stdio", "/work"]);
        assert_eq!(command.env.last(), Some(&("TZ".to_string(), "UTC".to_string())));
    }

    #[test]
    fn without_a_server_the_error_says_what_to_do() {
        let nowhere = Worktree::default();
        let problem = super::registered().language_server_command(&server(), &nowhere).unwrap_err();
        assert!(problem.contains("not on the PATH") && problem.contains("lsp.gprof-lsp.binary.path"), "{problem}");
    }

    #[test]
    fn settings_are_the_section_and_the_options() {
        let mut extension = super::registered();
        let tree = worktree(Some(|| LspSettings { settings: Some(Value::Number(5)), ..Default::default() }));
        let section = extension.language_server_workspace_configuration(&server(), &tree).unwrap().unwrap();
        match section {
            Value::Object(members) => assert_eq!(members.0.get("gprof"), Some(&Value::Number(5))),
            other => panic!("{other:?}"),
        }
        let options = extension.language_server_initialization_options(&server(), &tree).unwrap();
        assert_eq!(options, Some(Value::Number(5)));
        let none = extension.language_server_workspace_configuration(&server(), &worktree(None)).unwrap();
        assert_eq!(none, None);
    }
}
