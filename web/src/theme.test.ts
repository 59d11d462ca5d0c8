import { expect, test } from 'vitest'
import { accentColors, contrastOf } from '#lib/accent-colors.ts'
import { cssVariablesResolver, theme } from './theme.ts'

/** Colours with which a formula may fail: black, white, grays, pure channels, and the accent of the service. */
const extremes = [
  '#000000',
  '#ffffff',
  '#808080',
  '#ff0000',
  '#00ff00',
  '#0000ff',
  '#ffff00',
  '#ff00ff',
  '#00ffff',
  '#4350c6',
]
const random = Array.from(
  { length: 50 },
  () =>
    `#${Math.floor(Math.random() * 0x1000000)
      .toString(16)
      .padStart(6, '0')}`,
)

const resolved = cssVariablesResolver(theme as never)
const surfaceOf = (page: 'light' | 'dark', name: string) => (resolved[page] as Record<string, string>)[name] as string

test.each([...extremes, ...random])('everything in the colour %s can be read', (accent) => {
  const { shades, darkTints } = accentColors(accent)
  const shade = (index: number) => shades[index] as string
  const light = ['--vs-canvas', '--vs-nav', '--vs-panel'].map((name) => surfaceOf('light', name))
  const dark = ['--vs-canvas', '--vs-nav', '--vs-panel'].map((name) => surfaceOf('dark', name))
  const pairs = [
    ...[6, 7, 8].map((index) => ['#ffffff', shade(index)]), // buttons, and buttons under the mouse
    ...[7, 8].flatMap((index) => [...light, shade(0)].map((surface) => [shade(index), surface])),
    ...[8].map((index) => [shade(index), shade(1)]), // initials of people
    ...[3, 4].flatMap((index) => [...dark, darkTints['--vs-selected']].map((surface) => [shade(index), surface])),
    ...['--vs-accent-tint', '--vs-avatar', '--mantine-color-indigo-light'].map((tint) => [
      shade(3),
      darkTints[tint as '--vs-avatar'],
    ]),
  ] as [string, string][]
  const texts = [surfaceOf('light', '--mantine-color-text'), surfaceOf('dark', '--mantine-color-text')] as [
    string,
    string,
  ]
  pairs.push([texts[0], shade(0)], [texts[1], darkTints['--vs-selected']], [texts[1], darkTints['--vs-accent-tint']])

  const unreadable = pairs.filter(([one, other]) => contrastOf(one, other) < 4.5)
  expect(unreadable).toEqual([])
})

test('a colour that can be read is used as it is; another one becomes darker or lighter, and keeps its hue', () => {
  const used = (accent: string) => [accentColors(accent).shades[7], accentColors(accent).shades[6]]

  expect(used('#7a1f2b')[0]).toBe('#7a1f2b')
  expect(used('#ffee00')).toEqual(['#7a7100', '#817800'])
  expect(used('#4350c6')).toEqual(['#4350c6', expect.stringMatching(/^#/)])
})

test('the standard colours are those of the theme', () => {
  const standard = accentColors('#4350c6')
  const differences = theme.colors?.['indigo']?.map((shade, index) =>
    contrastOf(shade, standard.shades[index] as string),
  )

  expect(differences).toHaveLength(10)
  for (const difference of differences ?? []) expect(difference).toBeLessThan(1.02)
  for (const name of ['--vs-accent-tint', '--vs-avatar', '--vs-selected', '--vs-chart-2'] as const)
    expect(contrastOf(surfaceOf('dark', name), standard.darkTints[name])).toBeLessThan(1.02)
})

test('contrast is that of WCAG', () => {
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})
