// The payload: base64 text around a deflated block of a head (JSON) and
// columns. Numbers in columns are of variable length, seven bits a byte.

export async function unpack(element) {
  const bytes = decodeBase64(element.textContent);
  element.textContent = "";
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const plain = new Uint8Array(await new Response(stream).arrayBuffer());
  const headLength = new DataView(plain.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(plain.subarray(4, 4 + headLength)));
  const columns = [];
  let at = 4 + headLength;
  for (const length of head.columns) {
    columns.push(plain.subarray(at, at + length));
    at += length;
  }
  return { head, columns };
}

function decodeBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const out = new Uint8Array((text.length / 4) * 3);
  let n = 0;
  for (let at = 0; at < text.length; at += 1 << 20) {
    const part = atob(text.slice(at, at + (1 << 20)));
    for (let i = 0; i < part.length; i++) out[n++] = part.charCodeAt(i);
  }
  return out.subarray(0, n);
}

// numbers reads n numbers of a column into an array of the given type.
export function numbers(bytes, n, Type, signed) {
  const out = new Type(n);
  let at = 0;
  for (let i = 0; i < n; i++) {
    let b = bytes[at++];
    let v = b & 127;
    if (b > 127) {
      let scale = 128;
      do {
        b = bytes[at++];
        v += (b & 127) * scale;
        scale *= 128;
      } while (b > 127);
    }
    if (signed) v = v % 2 ? -(v + 1) / 2 : v / 2;
    out[i] = v;
  }
  return out;
}

// sums turns differences into values.
export function sums(list) {
  for (let i = 1; i < list.length; i++) list[i] += list[i - 1];
  return list;
}
