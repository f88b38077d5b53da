/** A way by which a command could make the user's own git (or editor, or shell) run what it planted. */
export interface Door {
  readonly name: string;
  /** What the command does, in a repository with one commit; `$EVIL` is a program that leaves a mark. */
  readonly plant: string;
  /** Where the user's git is run afterwards; the workspace itself by default. */
  readonly visit?: string;
  /** Without confinement it fails too: on this version of git, or since only an editor would run it. */
  readonly control?: "no control";
  /** A path that must not be there afterwards. */
  readonly gone?: string;
}

const HOOKS = ["pre-commit", "post-checkout", "post-index-change", "reference-transaction", "post-commit"];
const plantHooks = (dir: string) =>
  `mkdir -p ${dir}; for h in ${HOOKS.join(" ")}; do cp $EVIL ${dir}/$h 2>/dev/null; done`;
const fresh = (dir: string) => `git init -q ${dir} && git -C ${dir} commit -q --allow-empty -m new`;

/** All doors, each tried by itself. */
export const DOORS: readonly Door[] = [
  { name: "a hook", plant: plantHooks(".git/hooks") },
  { name: "a hook, the directory being new", plant: `rm -rf .git/hooks; ${plantHooks(".git/hooks")}` },
  {
    name: "a hook over a sample",
    plant: `cp $EVIL .git/hooks/pre-commit.sample; mv .git/hooks/pre-commit.sample .git/hooks/pre-commit`,
  },
  {
    name: "hooks as a symlink",
    plant: `${plantHooks("elsewhere")}; rm -rf .git/hooks; ln -s ../elsewhere .git/hooks`,
  },
  { name: "core.fsmonitor", plant: `git config core.fsmonitor $EVIL` },
  { name: "core.hooksPath", plant: `${plantHooks("h")}; git config core.hooksPath h` },
  {
    name: "a filter",
    plant:
      `git config filter.x.clean $EVIL; git config filter.x.smudge $EVIL; echo '* filter=x' > .gitattributes; touch a`,
  },
  {
    name: "a filter by info/attributes",
    plant:
      `git config filter.x.clean $EVIL; mkdir -p .git/info; echo '* filter=x' > .git/info/attributes; echo b > a`,
  },
  { name: "an external diff", plant: `git config diff.external $EVIL; echo changed > a` },
  {
    name: "a text conversion",
    plant: `git config diff.x.textconv $EVIL; echo '* diff=x' > .gitattributes; echo changed > a`,
  },
  {
    name: "an include",
    plant: `printf '[core]\\n\\tfsmonitor = %s\\n' $EVIL > inc; git config include.path ../inc`,
  },
  { name: "a config written past git", plant: `printf '[core]\\n\\tfsmonitor = %s\\n' $EVIL >> .git/config` },
  {
    name: "a config put in place by rename",
    plant: `cp .git/config c; printf '[core]\\nfsmonitor=%s\\n' $EVIL >> c; mv -f c .git/config`,
  },
  {
    name: "config.worktree",
    plant: `git config extensions.worktreeConfig true; git config --worktree core.fsmonitor $EVIL`,
  },
  {
    name: "config.worktree written past git",
    plant:
      `printf '[extensions]\\n\\tworktreeConfig = true\\n' >> .git/config; printf '[core]\\n\\tfsmonitor = %s\\n' $EVIL > .git/config.worktree`,
  },
  {
    name: "a repository that replaces this one",
    plant: `cp -r .git evil; git --git-dir=evil config core.fsmonitor $EVIL; mv .git old; mv evil .git`,
  },
  {
    name: "a .git that is a pointer",
    plant:
      `cp -r .git evil; git --git-dir=evil config core.fsmonitor $EVIL; mv .git old; echo "gitdir: evil" > .git`,
  },
  {
    name: "a .git that is a symlink",
    plant: `cp -r .git evil; git --git-dir=evil config core.fsmonitor $EVIL; mv .git old; ln -s evil .git`,
  },
  {
    name: "a commondir",
    plant: `cp -r .git evil; git --git-dir=evil config core.fsmonitor $EVIL; echo ../evil > .git/commondir`,
  },
  { name: "an alias", plant: `git config alias.st '!'$EVIL; git config alias.c '!'$EVIL` },
  { name: "core.worktree", plant: `git config core.worktree /tmp`, control: "no control" },
  {
    name: "a nested repository's hook",
    plant: `${fresh("sub")}; ${plantHooks("sub/.git/hooks")}`,
    visit: "sub",
  },
  {
    name: "a nested repository's config",
    plant: `${fresh("sub")}; git -C sub config core.fsmonitor $EVIL`,
    visit: "sub",
  },
  {
    name: "a nested repository in the index",
    plant: `${fresh("sub")}; git add sub; git -C sub config core.fsmonitor $EVIL`,
  },
  {
    name: "an existing nested repository",
    plant: `git -C nested config core.fsmonitor $EVIL; ${plantHooks("nested/.git/hooks")}`,
    visit: "nested",
  },
  {
    name: "a deep nested repository",
    plant: `mkdir -p a1/b/c/node_modules/d; ${
      fresh("a1/b/c/node_modules/d/e")
    }; git -C a1/b/c/node_modules/d/e config core.fsmonitor $EVIL`,
    visit: "a1/b/c/node_modules/d/e",
  },
  {
    name: "a bare repository in a directory",
    plant:
      `git init -q --bare bare; git --git-dir=bare config core.fsmonitor $EVIL; git --git-dir=bare config core.bare false; git --git-dir=bare config core.worktree ..`,
    visit: "bare",
    control: "no control",
  },
  { name: "a submodule's config", plant: `git -C module config core.fsmonitor $EVIL` },
  { name: "a submodule's hook", plant: plantHooks(".git/modules/module/hooks"), visit: "module" },
  {
    name: "a submodule's pointer",
    plant: `cp -r .git/modules/module evil; echo "gitdir: ../evil" > module/.git
      printf '[core]\\n\\tworktree = ../module\\n\\tfsmonitor = %s\\n' $EVIL > evil/config`,
  },
  {
    name: "a linked worktree's common directory",
    plant:
      `cp -r .git evil; git --git-dir=evil config core.fsmonitor $EVIL; echo "$PWD/evil" > .git/worktrees/linked/commondir`,
    visit: "linked",
  },
  {
    name: "a linked worktree's pointer",
    plant:
      `cp -r .git evil; git --git-dir=evil config core.fsmonitor $EVIL; echo "gitdir: $PWD/evil" > linked/.git`,
    visit: "linked",
  },
  {
    name: "a new linked worktree's pointer",
    plant:
      `git worktree add -q new -b new; cp -r .git evil; git --git-dir=evil config core.fsmonitor $EVIL; echo "gitdir: $PWD/evil" > new/.git`,
    visit: "new",
  },
  {
    name: "a submodule's update in .gitmodules",
    plant: `git config -f .gitmodules submodule.module.update '!'$EVIL`,
    control: "no control",
  },
  {
    name: "the death of the executor",
    plant: `${plantHooks(".git/hooks")}; git config core.fsmonitor $EVIL; kill -9 $PPID`,
    control: "no control",
  },
  {
    name: "a task of the editor",
    plant: `mkdir -p .vscode; echo '{"tasks":[]}' > .vscode/tasks.json`,
    control: "no control",
    gone: ".vscode",
  },
  {
    name: "a run configuration",
    plant: `mkdir -p .idea; echo x > .idea/workspace.xml`,
    control: "no control",
    gone: ".idea",
  },
  { name: "a server for agents", plant: `echo '{}' > .mcp.json`, control: "no control", gone: ".mcp.json" },
  { name: "a directory's environment", plant: `echo x > .envrc`, control: "no control", gone: ".envrc" },
  { name: "a shell's start file as a FIFO", plant: `mkfifo .bashrc`, control: "no control", gone: ".bashrc" },
  {
    name: "a symlink for a protected directory",
    plant: `mkdir v; ln -s v .vscode`,
    control: "no control",
    gone: ".vscode",
  },
];
