import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";

/** Changes the files that it is given, and runs commands by itself or by what is typed. */
const editor: ProgramSpec = {
  effects: "execute",
  read(words, record) {
    for (const word of words) if (!/^[-+]/.test(word.text)) record.path(word, "write");
    record.fail("an editor runs commands");
  },
};

/** Starts whatever program the desktop has for a file or an address. */
const opener: ProgramSpec = {
  effects: "execute",
  read(words, record) {
    for (const word of words) {
      if (/^\w[\w+.-]*:/.test(word.text)) record.host(word);
      else if (!word.text.startsWith("-")) record.path(word, "read");
    }
    record.fail("which program it starts is not known");
  },
};

export const editors: ProgramTable = {
  "vi|vim|nvim|view|vimdiff|nvimdiff|rvim|gvim|ex|ed|red|nano|rnano|pico|emacs|emacsclient|mg|micro|hx|helix|kak|joe|jed":
    editor,
  "code|codium|cursor|windsurf|zed|subl|atom|mate|gedit|kate|xed|notepad|idea|webstorm|pycharm":
    editor,
  "open|xdg-open|start|explorer|gio|kde-open|gnome-open|wslview": opener,
};
