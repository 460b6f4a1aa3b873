//! What the extension uses of the crate zed_extension_api 0.7: the same names and types, and in the place of Zed a
//! worktree whose answers a test sets. Types derive no more than they do in the crate, so that what compiles here
//! compiles there.

pub type Result<T, E = String> = core::result::Result<T, E>;

#[derive(Debug)]
pub struct Command {
    pub command: String,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
}

pub struct LanguageServerId(pub String);

impl AsRef<str> for LanguageServerId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[derive(Default)]
pub struct Worktree {
    pub on_path: Option<String>,
    pub environment: Vec<(String, String)>,
    pub settings: Option<fn() -> settings::LspSettings>,
}

impl Worktree {
    pub fn which(&self, name: &str) -> Option<String> {
        assert_eq!(name, "gprof-lsp");
        self.on_path.clone()
    }

    pub fn shell_env(&self) -> Vec<(String, String)> {
        self.environment.clone()
    }
}

pub mod serde_json {
    use std::collections::BTreeMap;

    #[derive(Clone, Debug, PartialEq)]
    pub enum Value {
        Null,
        Number(u32),
        Object(Map<String, Value>),
    }

    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Map<K: Ord, V>(pub BTreeMap<K, V>);

    impl Map<String, Value> {
        pub fn new() -> Self {
            Map(BTreeMap::new())
        }

        pub fn insert(&mut self, key: String, value: Value) -> Option<Value> {
            self.0.insert(key, value)
        }
    }
}

pub mod settings {
    #[derive(Debug, Default)]
    pub struct LspSettings {
        pub binary: Option<CommandSettings>,
        pub initialization_options: Option<crate::serde_json::Value>,
        pub settings: Option<crate::serde_json::Value>,
    }

    #[derive(Debug)]
    pub struct CommandSettings {
        pub path: Option<String>,
        pub arguments: Option<Vec<String>>,
        pub env: Option<std::collections::HashMap<String, String>>,
    }

    impl LspSettings {
        pub fn for_worktree(server: &str, worktree: &crate::Worktree) -> crate::Result<Self> {
            assert_eq!(server, "gprof-lsp");
            worktree.settings.map(|made| made()).ok_or_else(|| "there are no settings".into())
        }
    }
}

pub trait Extension: Send + Sync {
    fn new() -> Self
    where
        Self: Sized;

    fn language_server_command(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command>;

    fn language_server_initialization_options(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>>;

    fn language_server_workspace_configuration(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>>;
}

#[macro_export]
macro_rules! register_extension {
    ($extension:ty) => {
        pub fn registered() -> Box<dyn zed_extension_api::Extension> {
            Box::new(<$extension as zed_extension_api::Extension>::new())
        }
    };
}
