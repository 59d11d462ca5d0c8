import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'
import type { MouseEvent } from 'react'

const tuple = (...shades: string[]) => shades as unknown as MantineColorsTuple

const indigo = tuple(...shadesOf('f2f4fe e4e8fd c9d0fa a6b1f5 8392ef 6676e7 5060dc 4350c6 3742a9 2b3484'))
const gray = tuple(...shadesOf('f8f9fb f2f4f7 e7eaef d8dde5 c0c7d2 8a94a5 667085 505a6b 343b48 1a1f28'))
const dark = tuple(...shadesOf('e3e6eb c3c9d2 a0a8b5 6d7685 2f353f 262b34 1b1f26 13161b 0f1216 0a0c0f'))
const green = tuple(...shadesOf('ecf8f2 d6f0e2 aee1c6 7fcfa5 4fbd86 2fa76c 1f8f5a 18794b 13633e 0d4a2e'))
const yellow = tuple(...shadesOf('fff8e8 feeecb fcdc97 f8c558 efab2a c7830a ae7004 885700 6b4400 4d3100'))
const red = tuple(...shadesOf('fef2f2 fde3e3 fac6c6 f59f9f ee7475 e04e50 cb3438 ae272b 8d1f23 6a181b'))

function shadesOf(text: string): string[] {
  return text.split(' ').map((shade) => `#${shade}`)
}

/** Time to point at something before its tooltip appears. */
export const tooltipDelayMs = 400

/** Sizes, fonts and colours of the whole app. Panels have a border; shadows are for things that float. */
export const theme = createTheme({
  colors: { indigo, gray, dark, green, yellow, red },
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 6 },
  black: '#1a1f28',
  defaultRadius: 'md',
  fontFamily:
    '-apple-system, BlinkMacSystemFont, "Segoe UI Variable Text", "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Mono", "Roboto Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.35', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '22px', lineHeight: '30px' },
      h2: { fontSize: '16px', lineHeight: '24px' },
      h3: { fontSize: '14px', lineHeight: '20px' },
    },
  },
  shadows: {
    xs: '0 1px 2px rgba(16,20,30,.05)',
    sm: '0 1px 2px rgba(16,20,30,.06), 0 2px 6px rgba(16,20,30,.04)',
    md: '0 4px 16px rgba(16,20,30,.10)',
    lg: '0 12px 32px rgba(16,20,30,.14)',
    xl: '0 24px 64px rgba(16,20,30,.20)',
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Help is below the field, and an error takes its place.
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
    Button: { defaultProps: { size: 'sm', onMouseDown: keepFocusInForm } },
    TextInput: { defaultProps: { size: 'sm' } },
    // Whole numbers, unless a field takes others.
    NumberInput: { defaultProps: { hideControls: true, allowDecimal: false, allowNegative: false } },
    PasswordInput: { defaultProps: { size: 'sm', visibilityToggleFocusable: true } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 32 } },
    Switch: { defaultProps: { withThumbIndicator: false } },
    Tooltip: { defaultProps: { openDelay: tooltipDelayMs } },
    // The placeholder is not an item, and a menu may only contain items.
    Menu: { defaultProps: { shadow: 'md', withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { centered: true, padding: 20, radius: 'lg', overlayProps: { backgroundOpacity: 0.3 } } },
    ModalCloseButton: { defaultProps: { iconSize: 18 } },
    DrawerCloseButton: { defaultProps: { iconSize: 18 } },
    Drawer: { defaultProps: { position: 'right', size: 460, overlayProps: { backgroundOpacity: 0.3 } } },
  },
})

/**
 * Keeps the focus in the field while a form is sent. A field that loses the focus may show its error and so move the button
 * away before the mouse is released. Then there would be no click.
 */
function keepFocusInForm(event: MouseEvent<HTMLButtonElement>): void {
  if (event.currentTarget.type === 'submit') event.preventDefault()
}

/** Colours by their purpose. Components use these variables, never a shade. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...surfaces('#ffffff', gray[0], '#ffffff', gray[2], gray[3], gray[5]),
    ...texts(gray[9], gray[7], gray[6]),
    ...tones('accent', accent(7), accent(8), accent(0)),
    ...tones('ok', green[6], green[7], green[0]),
    ...tones('warn', yellow[5], yellow[7], yellow[0]),
    ...tones('bad', red[6], red[7], red[0]),
    '--vs-selected': accent(0),
    '--vs-hover': gray[0],
    '--vs-avatar': accent(1),
    '--vs-chart-1': accent(7),
    '--vs-chart-2': accent(2),
    '--mantine-color-error': red[7],
    '--mantine-color-anchor': accent(7),
    '--mantine-color-red-light-color': red[7],
    '--mantine-color-indigo-light-color': accent(8),
  },
  dark: {
    ...surfaces(dark[7], dark[8], dark[6], dark[5], '#383f4a', dark[3]),
    ...texts(dark[0], dark[2], '#8b94a3'),
    ...tones('accent', accent(4), accent(3), '#222849'),
    ...tones('ok', green[4], green[4], '#14291f'),
    ...tones('warn', yellow[4], yellow[3], '#2b2211'),
    ...tones('bad', red[4], red[3], '#2f1a1c'),
    '--vs-selected': '#1e2339',
    '--vs-hover': '#20252d',
    '--vs-avatar': '#222849',
    '--vs-chart-1': accent(4),
    '--vs-chart-2': '#343d72',
    '--mantine-color-error': red[3],
    '--mantine-color-anchor': accent(3),
    '--mantine-color-red-light-color': red[3],
    '--mantine-color-indigo-light-color': accent(3),
  },
})

/** A shade of the accent. The house may have replaced it (`house.ts`). */
function accent(shade: number): string {
  return `var(--mantine-color-indigo-${shade})`
}

function surfaces(canvas: string, nav: string, panel: string, line: string, line2: string, control: string) {
  return {
    '--vs-canvas': canvas,
    '--vs-nav': nav,
    '--vs-panel': panel,
    '--vs-line': line,
    '--vs-line-2': line2,
    '--vs-control': control,
    '--mantine-color-body': canvas,
    '--mantine-color-default-border': line2,
  }
}

function texts(first: string, dimmed: string, soft: string) {
  return {
    '--mantine-color-text': first,
    '--mantine-color-dimmed': dimmed,
    '--vs-soft': soft,
    '--mantine-color-placeholder': soft,
  }
}

function tones(name: string, mark: string, words: string, tint: string) {
  return { [`--vs-${name}`]: mark, [`--vs-${name}-text`]: words, [`--vs-${name}-tint`]: tint }
}
