/** Ten shades from light to dark, and the tints that only a dark page has. All are written as `#rrggbb`. */
export type AccentColors = {
  shades: string[]
  darkTints: Record<(typeof darkTints)[number][0], string>
}

/** The accent of the service, `indigo` in `web/src/theme.ts`. A test compares the two. */
const standardShades = [
  '#f2f4fe',
  '#e4e8fd',
  '#c9d0fa',
  '#a6b1f5',
  '#8392ef',
  '#6676e7',
  '#5060dc',
  '#4350c6',
  '#3742a9',
  '#2b3484',
]

/** Variables that are no shade in a dark page. */
const darkTints = [
  ['--vs-accent-tint', '#222849'],
  ['--vs-avatar', '#222849'],
  ['--vs-selected', '#1e2339'],
  ['--vs-chart-2', '#343d72'],
  ['--mantine-color-indigo-light', '#161a42'],
  ['--mantine-color-indigo-light-hover', '#1e245c'],
] as const

/** The shades of buttons, with white text, on a light and on a dark page. The first one is also the colour of links. */
const onLight = 7
const onDark = 6

const readable = 4.5 // WCAG 2.2 AA, for text
/** Rounding to 8 bits changes a luminance by less than this. */
const roundingMargin = 0.985

/**
 * The colours of the web app for an accent. Contrast depends on luminance alone. So each colour has the hue of the accent and the
 * luminance of the standard colour in the same place, whose contrast is tested. The two colours of buttons are as near to the
 * accent as white text on them, and links in them, can be read.
 */
export function accentColors(accent: string): AccentColors {
  const { chroma, hue } = toLch(accent)
  const scale = chroma / toLch(standardShades[onLight] as string).chroma
  const like = (color: string, luminance = luminanceOf(color)) =>
    fromLuminance(luminance, toLch(color).chroma * scale, hue)

  // Links are also on tinted rows, which are a little darker than white.
  const forLinks = highestBelow(luminanceOf(standardShades[0] as string))
  const forButtons = highestBelow(1)
  const light = within(accent, 0, forLinks)
  const dark = within(accent, luminanceOf(standardShades[onDark] as string), forButtons)
  const darker = (shade: string, factor: number) =>
    like(shade, Math.min(luminanceOf(shade), luminanceOf(light) * factor))

  const shades = standardShades.map((shade) => like(shade))
  shades[onDark] = dark
  shades[onLight] = light
  shades[8] = darker(standardShades[8] as string, 0.7)
  shades[9] = darker(standardShades[9] as string, 0.45)
  const tints = darkTints.map(([name, color]) => [name, like(color)] as const)
  return { shades, darkTints: Object.fromEntries(tints) as AccentColors['darkTints'] }
}

/** The accent itself if its luminance is in the range, otherwise the nearest colour of the same hue. */
function within(accent: string, lowest: number, highest: number): string {
  const luminance = luminanceOf(accent)
  if (luminance >= lowest && luminance <= highest) return accent
  const { chroma, hue } = toLch(accent)
  return fromLuminance(luminance > highest ? highest * roundingMargin : lowest, chroma, hue)
}

/** The highest luminance of a colour that can be read on a lighter one, or under text in it. */
function highestBelow(lighter: number): number {
  return (lighter + 0.05) / readable - 0.05
}

/** The colours that people see most: of buttons and of words, on both pages. */
export function mainColors({ shades, darkTints }: AccentColors) {
  const shade = (index: number) => shades[index] as string
  return {
    light: { button: shade(onLight), text: shade(8), tint: shade(0) },
    dark: { button: shade(onDark), text: shade(3), tint: darkTints['--vs-accent-tint'] },
  }
}

/** Style rules that replace the accent of the web app. Their selectors are stronger than those of Mantine, wherever they are. */
export function accentStyle({ shades, darkTints }: AccentColors): string {
  const of = (variables: (readonly [string, string])[]) =>
    variables.map(([name, color]) => `${name}:${color}`).join(';')
  const all = of(shades.map((shade, index) => [`--mantine-color-indigo-${index}`, shade] as const))
  return `html:root[data-mantine-color-scheme]{${all}}html:root[data-mantine-color-scheme="dark"]{${of(Object.entries(darkTints))}}`
}

/** The contrast of two colours by WCAG 2.2, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

type Rgb = [red: number, green: number, blue: number]

function luminanceOf(color: string): number {
  return luminance(toLinear(color))
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function toLinear(color: string): Rgb {
  const channel = (start: number) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [channel(1), channel(3), channel(5)]
}

function toHex(rgb: Rgb): string {
  const channel = (linear: number) => {
    const clamped = Math.min(1, Math.max(0, linear))
    const value = clamped <= 0.0031308 ? clamped * 12.92 : 1.055 * clamped ** (1 / 2.4) - 0.055
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${rgb.map(channel).join('')}`
}

/** The colour with this luminance and hue. Its chroma is lower than wanted if a screen cannot show it. */
function fromLuminance(wanted: number, chroma: number, hue: number): string {
  const of = (tried: number): Rgb => {
    const lightness = search(0, 1, (middle) => luminance(fromLch(middle, tried, hue)) < wanted)
    return fromLch(lightness, tried, hue)
  }
  const isShown = (rgb: Rgb) => rgb.every((channel) => channel >= -0.0005 && channel <= 1.0005)
  const whole = of(chroma)
  return toHex(isShown(whole) ? whole : of(search(0, chroma, (middle) => isShown(of(middle)))))
}

/** The highest number for which `isBelow` holds. */
function search(lowest: number, highest: number, isBelow: (middle: number) => boolean): number {
  let [low, high] = [lowest, highest]
  for (let step = 0; step < 24; step++) {
    const middle = (low + high) / 2
    if (isBelow(middle)) low = middle
    else high = middle
  }
  return low
}

/** Chroma and hue in OKLCH, where colours of one hue look alike at every lightness. */
function toLch(color: string): { chroma: number; hue: number } {
  const [red, green, blue] = toLinear(color)
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return { chroma: Math.hypot(a, b), hue: Math.atan2(b, a) }
}

function fromLch(lightness: number, chroma: number, hue: number): Rgb {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}
