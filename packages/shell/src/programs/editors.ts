import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";

/** Changes its files, and can run commands. */
const editor: ProgramSpec = {
  effects: "execute",
  read(words, record) {
    for (const word of words) if (!/^[-+]/.test(word.text)) record.path(word, "write");
    record.fail("an editor can run commands");
  },
};

/** Starts the default program of the desktop for a file or a URL. */
const opener: ProgramSpec = {
  effects: "execute",
  read(words, record) {
    for (const word of words) {
      if (/^\w[\w+.-]*:/.test(word.text)) record.host(word);
      else if (!word.text.startsWith("-")) record.path(word, "read");
    }
    record.fail("the program that it starts is not known");
  },
};

export const editors: ProgramTable = {
  "vi|vim|nvim|view|vimdiff|nvimdiff|rvim|gvim|ex|ed|red|nano|rnano|pico|emacs|emacsclient|mg|micro|hx|helix|kak|joe|jed":
    editor,
  "code|codium|cursor|windsurf|zed|subl|atom|mate|gedit|kate|xed|notepad|idea|webstorm|pycharm":
    editor,
  "open|xdg-open|start|explorer|gio|kde-open|gnome-open|wslview": opener,
};
