const storageKey = 'vs.last-use'
const storeEveryMs = 2_000

let lastUse = Date.now() // a page that opens was opened by somebody
let storedAt = 0

/** How long ago somebody pressed a key, clicked or touched, in any tab of this browser. Requests say it to the service. */
export function secondsSinceUse(): number {
  return Math.max(0, Math.floor((Date.now() - Math.max(lastUse, storedUse())) / 1_000))
}

function storedUse(): number {
  try {
    return Number(localStorage.getItem(storageKey)) || 0
  } catch {
    return 0 // the browser refuses the storage: each tab counts for itself
  }
}

function noteUse(): void {
  lastUse = Date.now()
  if (Math.abs(lastUse - storedAt) < storeEveryMs) return
  storedAt = lastUse
  try {
    localStorage.setItem(storageKey, String(lastUse))
  } catch {}
}

/** Notes the use of this page from now on. */
export function watchUse(): void {
  for (const type of ['keydown', 'pointerdown', 'touchstart', 'wheel'])
    addEventListener(type, noteUse, { capture: true, passive: true })
}
