/** Millimetres. `height` is undefined for a roll: then the slip is as long as its content. */
export type Paper = {
  width: number
  height?: number
  /** The margin that printers do not reach, or that should stay empty. */
  margin: { x: number; y: number }
  /** The cards of a sheet that somebody cuts. Without them, a page is one slip. */
  cards?: { columns: number; rows: number; width: number; height: number }
  /** The size of everything compared with the slip on 80 mm paper. */
  scale: number
}

/** The papers on which a slip can be drawn. */
export const papers = {
  'a4-cards': {
    width: 210,
    height: 297,
    margin: { x: 6, y: 6 },
    cards: { columns: 2, rows: 5, width: 99, height: 57 },
    scale: 0.75,
  },
  a4: { width: 210, height: 297, margin: { x: 30, y: 30 }, scale: 1.9 },
  a5: { width: 148, height: 210, margin: { x: 20, y: 18 }, scale: 1.4 },
  '80mm': { width: 80, margin: { x: 4, y: 5 }, scale: 1 },
  '58mm': { width: 58, margin: { x: 5, y: 4 }, scale: 0.78 },
  '62x100mm': { width: 62, height: 100, margin: { x: 4, y: 4 }, scale: 0.78 },
} as const satisfies Record<string, Paper>

export type PaperName = keyof typeof papers
