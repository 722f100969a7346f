const size = 64;
/** Drawing is asynchronous: only the latest request counts. */
let wanted = 0;

/** Draws the icon with a count, or the plain icon for 0. */
export async function showFavicon(count: number): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>("link[rel='icon']");
  if (!link) return;
  wanted = count;
  link.dataset["plain"] ??= link.href;
  const plain = link.dataset["plain"];
  if (count === 0) {
    show(link, plain, "image/svg+xml");
    return;
  }
  const picture = await drawn(plain, count > 9 ? "9+" : String(count));
  if (picture !== null && wanted === count) show(link, picture, "image/png");
}

function show(link: HTMLLinkElement, href: string, type: string): void {
  link.type = type;
  link.href = href;
}

async function drawn(source: string, text: string): Promise<string | null> {
  const image = new Image(size, size);
  image.src = source;
  try {
    await image.decode();
  } catch {
    return null;
  }
  const canvas = document.createElement("canvas");
  canvas.width = size;
  canvas.height = size;
  const context = canvas.getContext("2d");
  if (!context) return null;
  context.drawImage(image, 0, 0, size, size);
  context.fillStyle = "#f5b83d";
  context.strokeStyle = "#ffffff";
  context.lineWidth = 4;
  context.beginPath();
  context.arc(42, 42, 20, 0, Math.PI * 2);
  context.fill();
  context.stroke();
  context.fillStyle = "#1f1a10";
  context.font = "bold 30px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, 42, 44);
  return canvas.toDataURL("image/png");
}
