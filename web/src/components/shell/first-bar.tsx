type Place = 'before' | 'after'

const bars: Partial<Record<Place, Element>> = {}

/** Finds the visible bars of the page that the service sent, before the app replaces it. Returns whether there are any. */
export function keepFirstBars(root: HTMLElement): boolean {
  const frames = [...root.querySelectorAll<HTMLElement>('.first-page')]
  const main = frames.find(({ offsetParent }) => offsetParent !== null)?.querySelector('main')
  if (main?.previousElementSibling) bars.before = main.previousElementSibling
  if (main?.nextElementSibling) bars.after = main.nextElementSibling
  return main !== undefined && main !== null
}

/** A bar of the page that the service sent, before or after the main part. It stays until the app has rendered its own. */
export function FirstBar({ place }: { place: Place }) {
  const keep = (box: HTMLElement | null) => {
    const bar = bars[place]
    if (bar) box?.append(bar)
  }
  return <div className="first-page" style={{ display: 'contents' }} ref={keep} />
}
