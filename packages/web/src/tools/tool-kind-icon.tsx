import {
  ArrowRightLeft,
  Bot,
  FileText,
  Globe,
  Lightbulb,
  Pencil,
  Search,
  Shuffle,
  SquareTerminal,
  Trash2,
  Wrench,
  type LucideIcon,
} from "lucide-react";

const icons: Readonly<Record<string, LucideIcon>> = {
  read: FileText,
  edit: Pencil,
  delete: Trash2,
  move: ArrowRightLeft,
  search: Search,
  execute: SquareTerminal,
  think: Lightbulb,
  fetch: Globe,
  switch_mode: Shuffle,
  subagent: Bot,
};

/** Decorative: the title beside it names the kind. */
export function ToolKindIcon({ kind }: { readonly kind: string }) {
  const Icon = icons[kind] ?? Wrench;
  return <Icon size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-soft" />;
}
