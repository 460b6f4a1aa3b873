"""The plugin as plugin managers take it: from the branch that scripts/neovim-branch makes, of a repository of this
machine."""
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
VERSION = "v9.9.9"
# What each is told, with the repository for %s, and where what it has cloned may be found.
MANAGERS = {
    "vim.pack": """
vim.pack.add({ { src = '%s', version = 'neovim' } }, { confirm = false })
""",
    "lazy.nvim": """
vim.opt.runtimepath:prepend(vim.env.GPROF_MANAGER)
require('lazy').setup({
  spec = { { url = '%s', branch = 'neovim', name = 'gprof', lazy = false, opts = {} } },
  root = vim.fn.stdpath('data') .. '/lazy', install = { missing = true }, change_detection = { enabled = false },
})
""",
    "packer.nvim": """
vim.opt.packpath:append(vim.env.GPROF_PACKAGES)
vim.cmd('packadd packer.nvim')
local packer = require('packer')
packer.startup({
  function(use) use({ 'gprof-lsp/gprof-lsp', branch = 'neovim', as = 'gprof' }) end,
  config = { git = { default_url_format = '%s/../../%%s' } },
})
if vim.fn.isdirectory(vim.fn.stdpath('data') .. '/site/pack/packer/start/gprof') == 0 then
  local done = false
  vim.api.nvim_create_autocmd('User', { pattern = 'PackerComplete', callback = function() done = true end })
  packer.install()
  vim.wait(60000, function() return done end)
end
""",
}
# Prints what a user would find.
LOOK = """
vim.cmd('packloadall!')
vim.cmd('runtime! plugin/gprof.lua')
local help = #vim.fn.getcompletion('gprof-settings', 'help')
print(('command %d help %d module %s'):format(vim.fn.exists(':Gprof'), help, pcall(require, 'gprof')))
"""
EXPECTED = "command 2 help 1 module true"


def git(folder, *words):
    done = subprocess.run(["git", "-c", "user.name=test", "-c", "user.email=test@localhost", *words], cwd=folder,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"git {' '.join(words)}: {done.stderr}"
    return done.stdout.strip()


def release(folder):
    """A repository like this one, in which the plugin has been released once."""
    shutil.copytree(ROOT / "editors" / "neovim", folder / "editors" / "neovim")
    (folder / "scripts").mkdir()
    for name in ("LICENSE", "scripts/neovim-branch"):
        shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=everything")
    git(folder, "tag", VERSION)
    for _ in range(2):  # nothing is new the second time
        subprocess.run(["scripts/neovim-branch", VERSION], cwd=folder, check=True, capture_output=True)
    assert git(folder, "rev-list", "--count", "neovim") == "1"
    assert git(folder, "rev-parse", f"neovim-{VERSION}") == git(folder, "rev-parse", "neovim")
    # What the first release has stays below the second.
    (folder / "editors" / "neovim" / "README.md").write_text("another")
    git(folder, "commit", "--quiet", "--all", "--message=another")
    subprocess.run(["scripts/neovim-branch"], cwd=folder, check=True, capture_output=True)
    assert git(folder, "rev-list", "--count", "neovim") == "2"
    assert git(folder, "status", "--porcelain") == ""
    return f"file://{folder}"


def start(neovim, folder, home, manager):
    """What Neovim prints with this configuration, to which LOOK is added."""
    home = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
    done = subprocess.run([neovim, "--headless", "-i", "NONE", "-u", folder / "init.lua", "+qall!"], timeout=120,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          env=dict(os.environ, GPROF_MANAGER=str(manager), GPROF_PACKAGES=str(folder), GIT_ALLOW_PROTOCOL="file", **home))
    return done.stdout + done.stderr


def check(name, neovim, manager):
    """`manager` is its folder, or nothing for the one that is in Neovim."""
    with tempfile.TemporaryDirectory(prefix="gprof-manager-") as folder:
        folder = pathlib.Path(folder)
        (folder / "gprof-lsp" / "gprof-lsp").mkdir(parents=True)
        address = release(folder / "gprof-lsp" / "gprof-lsp")
        if manager:
            (folder / "pack" / "manager" / "opt").mkdir(parents=True)
            (folder / "pack" / "manager" / "opt" / name).symlink_to(manager)
        (folder / "init.lua").write_text(MANAGERS[name] % address + LOOK)
        for when in ("first", "second"):
            said = start(neovim, folder, folder / "home", manager)
            # packer.nvim loads what it installed when Neovim is started again.
            assert EXPECTED in said or (when == "first" and name == "packer.nvim"), f"{name}, the {when} time, said:\n{said}"
        clones = [path.parent for path in (folder / "home").rglob(".git")]
        assert len(clones) == 1, f"{name} has {clones}"
        assert git(clones[0], "status", "--porcelain") == "", "the plugin manager finds its clone changed"
