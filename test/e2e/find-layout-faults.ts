type Rect = { left: number; right: number; top: number; bottom: number; width: number }

/**
 * Runs in a browser that shows slips: finds parts that are outside their slip, parts that cover each other, and cards
 * without a cut line on each side. Its source is sent to the browser, so it must not use anything from outside.
 */
export function findLayoutFaults(): string[] {
  const { document, getComputedStyle } = globalThis as any
  const faults = new Set<string>()
  const lines: Rect[] = [...document.querySelectorAll('.vs-cuts line')].map((line) => line.getBoundingClientRect())
  for (const slip of document.querySelectorAll('.vs-slip')) {
    const box: Rect = slip.getBoundingClientRect()
    const parts = partsOf(slip)
    for (const part of parts) if (!isInside(part.rect, slip)) faults.add(`${part.name} is outside`)
    for (const [index, part] of parts.entries())
      for (const other of parts.slice(index + 1))
        if (overlap(part.rect, other.rect)) faults.add(`${part.name} covers ${other.name}`)
    if (lines.length > 0 && !isCutOut(box)) faults.add('the cut lines are not around the card')
  }
  return [...faults]

  function partsOf(slip: any): { name: string; rect: Rect }[] {
    const texts = 'h1, p, .vs-slip-action, .vs-slip-scan, .vs-slip-wifi, .vs-slip-password, .vs-slip-code'
    const elements: any[] = [...slip.querySelectorAll(`${texts}, svg, img`)]
    return elements
      .map((element) => ({ name: element.getAttribute('class') ?? element.tagName, rect: rectOf(element) }))
      .filter(({ rect }) => rect.width > 0)
  }

  /** As wide as the letters and as high as the lines. A text that ends in "…" is as wide as its element. */
  function rectOf(element: any): Rect {
    const box: Rect = element.getBoundingClientRect()
    if (element.matches('svg, img') || getComputedStyle(element).overflow === 'hidden') return box
    const range = document.createRange()
    range.selectNodeContents(element)
    const { left, right, width }: Rect = range.getBoundingClientRect()
    return { left, right, width, top: box.top, bottom: box.bottom }
  }

  function isInside(rect: Rect, slip: any): boolean {
    const box: Rect = slip.getBoundingClientRect()
    const style = getComputedStyle(slip)
    const inset = (side: string) => Number.parseFloat(style[`padding${side}`]) - 0.5
    return (
      rect.left >= box.left + inset('Left') &&
      rect.right <= box.right - inset('Right') &&
      rect.top >= box.top &&
      rect.bottom <= box.bottom - inset('Bottom')
    )
  }

  function overlap(a: Rect, b: Rect): boolean {
    return (
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5
    )
  }

  function isCutOut(box: Rect): boolean {
    const near = (a: number, b: number) => Math.abs(a - b) < 1
    const spansWidth = (line: Rect) => line.left <= box.left + 1 && line.right >= box.right - 1
    const spansHeight = (line: Rect) => line.top <= box.top + 1 && line.bottom >= box.bottom - 1
    return (
      lines.some((line) => spansWidth(line) && near(line.top, box.top)) &&
      lines.some((line) => spansWidth(line) && near(line.top, box.bottom)) &&
      lines.some((line) => spansHeight(line) && near(line.left, box.left)) &&
      lines.some((line) => spansHeight(line) && near(line.left, box.right))
    )
  }
}
