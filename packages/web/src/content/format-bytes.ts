/** "512 bytes", "3.4 kB", "120 MB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  for (const [unit, size] of units) {
    const count = bytes / size;
    if (count < 999.5) return `${count < 9.95 ? count.toFixed(1) : Math.round(count)} ${unit}`;
  }
  return `${Math.round(bytes / 1e12)} TB`;
}

const units = [
  ["kB", 1e3],
  ["MB", 1e6],
  ["GB", 1e9],
] as const;
