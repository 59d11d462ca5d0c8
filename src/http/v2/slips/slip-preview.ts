import { type Static, Type } from 'typebox'
import { readChange } from '#domain/sites/guest-info.ts'
import type { SlipPicture } from '#drawing/draw-picture.ts'
import { type Paper, type PaperName, papers } from '#drawing/papers.ts'
import { guestLanguages } from '#slips/guest-languages.ts'
import type { SlipVoucher } from '#slips/slip-facts.ts'
import { maxSlipLanguages, slipLines } from '#slips/slip-lines.ts'
import { type SlipPart, slipsOf } from '#slips/slip-parts.ts'
import { tooManyExports } from '../kit/files/export-csv.ts'
import { operation } from '../kit/operation.ts'
import { slipLinesField } from '../sites/guest-info.ts'
import { readSiteNumber, siteParams } from '../sites/sites.ts'
import { explainFailure, languagesOf, readSlipSite } from './slips.ts'

const previewSchema = Type.Object(
  {
    image: Type.String({ description: 'A PNG in shades of gray, in Base64.' }),
    width_mm: Type.Integer({ description: 'The width of the paper.' }),
    height_mm: Type.Integer({ description: 'The length that the paper will have.' }),
    missing: Type.Array(
      Type.Object({
        line: Type.Enum([...slipLines]),
        letters: Type.Array(Type.String()),
      }),
      { description: 'Letters that the font lacks, by line. A question mark is printed for each.' },
    ),
  },
  { title: 'SlipPreview' },
)

export const checkSlip = operation({
  method: 'POST',
  path: '/sites/{id}/slip/preview',
  operationId: 'checkSlip',
  summary: 'Draw the slip of an invented guest. Nothing is saved, and fields that you leave out are those of the site',
  scope: 'manage',
  role: 'manager',
  status: 200,
  tooMany: tooManyExports,
  params: siteParams,
  body: Type.Object(
    {
      paper: Type.Unsafe<PaperName>({ type: 'string', enum: Object.keys(papers) }),
      slip_lines: Type.Optional(slipLinesField),
      slip_per_language: Type.Optional(Type.Boolean()),
      guest_languages: Type.Optional(
        Type.Array(Type.Enum([...guestLanguages]), {
          maxItems: maxSlipLanguages,
          description: 'Empty: your language.',
        }),
      ),
      long_name: Type.Optional(Type.Boolean({ description: 'True: the guest has a very long name.' })),
    },
    { title: 'SlipPreviewRequest', additionalProperties: false, examples: [{ paper: '80mm' }] },
  ),
  answer: previewSchema,
  async handle(ctx, { actor, now, language, params, body }) {
    const siteId = readSiteNumber(params.id)
    return ctx.exports.run(actor, async (db) => {
      const { site, logo } = await readSlipSite({ ...ctx, db }, actor, siteId)
      readChange({ slipLines: body.slip_lines, guestLanguages: body.guest_languages })
      const { paper, long_name: hasLongName = false, ...changes } = body
      const guestInfo = { ...site.guestInfo, ...changes }
      const sample = sampleVoucher(now, hasLongName ? longName : usualName)
      const slips = slipsOf(sample, { ...site, guestInfo }, languagesOf(guestInfo, language))
      const picture = await ctx.drawing.drawPicture({ slips: filling(slips, paper), paper, logo }).catch(explainFailure)
      return toWire(picture)
    })
  },
})

const usualName = 'Familie Huber · Zimmer 204'
const longName =
  'Familie Wolfeschlegelsteinhausenbergerdorff-Kammerlander mit Großeltern und Freunden · Zimmer 204 bis 207'

const sampleVoucher = (now: Date, name: string): SlipVoucher => ({
  ...{ id: 'sample', formatted_code: '53785-74831', name, max_uses: 2, expire_minutes: 1440, valid_until: null },
  created_at: now.toISOString(),
})

/** The slips, repeated until they fill a sheet of cards. */
function filling(slips: SlipPart[][], name: PaperName): SlipPart[][] {
  const { cards }: Paper = papers[name]
  const places = cards ? cards.columns * cards.rows : slips.length
  return Array.from({ length: places }, (_, place) => slips[place % slips.length] as SlipPart[])
}

function toWire({ png, widthMm, heightMm, missing }: SlipPicture): Static<typeof previewSchema> {
  return { image: Buffer.from(png).toString('base64'), width_mm: widthMm, height_mm: heightMm, missing }
}
