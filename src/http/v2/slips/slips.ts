import { Type } from 'typebox'
import type { Database } from '#db/database.ts'
import { limitingActorId, type Requester } from '#domain/actor.ts'
import { maxBatchSize } from '#domain/batches/batch.ts'
import { listBatchRows } from '#domain/batches/batch-rows.queries.ts'
import { DomainError } from '#domain/errors.ts'
import { endOf, type RecordedVoucher } from '#domain/record/voucher.ts'
import { findHouseLogo } from '#domain/settings/house.ts'
import { findLogo } from '#domain/sites/guest-info.queries.ts'
import { listSiteLabels } from '#domain/sites/sites.queries.ts'
import { listVouchersByIds } from '#domain/vouchers/vouchers.queries.ts'
import type { SlipJob } from '#drawing/draw-slips.ts'
import { DrawingFailed } from '#drawing/drawing-process.ts'
import { type PaperName, papers } from '#drawing/papers.ts'
import { type GuestLanguage, guestLanguages } from '#slips/guest-languages.ts'
import { maxSlipLanguages } from '#slips/slip-lines.ts'
import { slipsOf } from '#slips/slip-parts.ts'
import type { Language } from '../../server/preferred-language.ts'
import { batchParams, findVisibleBatch } from '../batches/batches.ts'
import { readPublicId } from '../kit/fields.ts'
import { tooManyExports } from '../kit/files/export-csv.ts'
import { fileAnswer } from '../kit/files/file-answer.ts'
import { operation, type V2Context } from '../kit/operation.ts'
import { getSlipInfoOf } from '../sites/guest-info.ts'
import { findAllowedSites } from '../sites/sites.ts'
import { voucherParams, voucherToWire } from '../vouchers/vouchers.ts'

const paperField = Type.Optional(
  Type.Unsafe<PaperName>({
    type: 'string',
    enum: Object.keys(papers),
    default: 'a4-cards',
    description:
      '`a4-cards`: ten cards on a sheet. The others have a page for each slip; on `80mm` and `58mm` paper, it is as long as its content.',
  }),
)

const languageField = Type.Optional(
  Type.Array(Type.Enum([...guestLanguages]), {
    minItems: 1,
    maxItems: maxSlipLanguages,
    description: 'A language of the slip. May be repeated. Without it: the first languages of the site.',
  }),
)

const slipQuery = Type.Object({ paper: paperField, language: languageField }, { additionalProperties: false })
const passwordNote = 'A key gets slips with the Wi-Fi password only if the site allows it.'

export const getSlip = operation({
  method: 'GET',
  path: '/vouchers/{id}/slip.pdf',
  operationId: 'getSlip',
  summary: `Download the slip of a voucher as a PDF. ${passwordNote}`,
  scope: 'read',
  role: 'desk',
  status: 200,
  tooMany: tooManyExports,
  conflict: 'The voucher has ended',
  params: voucherParams,
  query: slipQuery,
  answer: fileAnswer('application/pdf'),
  handle: (ctx, call) =>
    withVoucher(ctx, call, (slip, db) => drawFile({ ...ctx, db }, call, { ...slip, name: call.params.id })),
})

export const getSlipPicture = operation({
  method: 'GET',
  path: '/vouchers/{id}/slip.png',
  operationId: 'getSlipPicture',
  summary: `Download the slip of a voucher as a picture in shades of gray: on \`80mm\` paper without \`paper\`, and in the first language if each has a slip. ${passwordNote}`,
  scope: 'read',
  role: 'desk',
  status: 200,
  tooMany: tooManyExports,
  conflict: 'The voucher has ended',
  params: voucherParams,
  query: slipQuery,
  answer: fileAnswer('image/png'),
  handle: (ctx, call) =>
    withVoucher(ctx, call, async (slip, db) => {
      const job = await readJob({ ...ctx, db }, call, { ...slip, paper: '80mm' })
      const { png } = await ctx.drawing.drawPicture(job).catch(explainFailure)
      return { type: 'image/png', fileName: `slip-${call.params.id}.png`, bytes: Buffer.from(png) }
    }),
})

export const getBatchSlips = operation({
  method: 'GET',
  path: '/batches/{id}/slips.pdf',
  operationId: 'getBatchSlips',
  summary: `Download the slips of a batch as a PDF, for all of its vouchers that have not ended. ${passwordNote}`,
  scope: 'read',
  role: 'desk',
  status: 200,
  tooMany: tooManyExports,
  conflict: 'Every voucher of the batch has ended, or none was made',
  params: batchParams,
  query: slipQuery,
  answer: fileAnswer('application/pdf'),
  async handle(ctx, call) {
    const batch = await findVisibleBatch(ctx.db, call.actor, call.params.id)
    const { siteId } = batch
    return ctx.exports.run(call.actor, async (db) => {
      const rows = await listBatchRows(db, batch, { after: 0, limit: maxBatchSize })
      const ids = rows.flatMap(({ voucherId }) => (voucherId === null ? [] : [{ siteId, id: voucherId }]))
      const byId = new Map((await listVouchersByIds(db, ids)).map((voucher) => [voucher.id, voucher]))
      const vouchers = ids.flatMap(({ id }) => byId.get(id) ?? [])
      return drawFile({ ...ctx, db }, call, { siteId, vouchers, name: call.params.id })
    })
  },
})

/** Runs `work` with the voucher of the call, in a place of the exports. */
async function withVoucher<T>(
  ctx: V2Context,
  { actor, params }: { actor: Requester; params: { id: string } },
  work: (slip: SlipsOfSite, db: Database) => Promise<T>,
): Promise<T> {
  const item = readPublicId(params.id)
  if (!item) throw new DomainError('not_found')
  await findAllowedSites(ctx.db, actor, [item.siteId])
  return ctx.exports.run(actor, async (db) => {
    const vouchers = await listVouchersByIds(db, [item])
    if (vouchers.length === 0) throw new DomainError('not_found')
    return work({ siteId: item.siteId, vouchers }, db)
  })
}

type SlipCall = {
  actor: Requester
  now: Date
  language: Language
  query: { paper?: PaperName; language?: GuestLanguage[] }
}

type SlipsOfSite = { siteId: number; vouchers: RecordedVoucher[] }

/** Draws the slips of vouchers of one site. Vouchers that have ended get none. */
async function drawFile(ctx: V2Context, call: SlipCall, { name, ...slips }: SlipsOfSite & { name: string }) {
  const job = await readJob(ctx, call, { ...slips, paper: 'a4-cards' })
  const bytes = await ctx.drawing.draw(job).catch(explainFailure)
  return { type: 'application/pdf', fileName: `slips-${name}.pdf`, bytes }
}

/** What is drawn for vouchers of one site; `paper` if the caller names none. */
async function readJob(
  ctx: V2Context,
  { actor, now, language, query }: SlipCall,
  { siteId, vouchers, paper }: SlipsOfSite & { paper: PaperName },
): Promise<SlipJob> {
  const usable = vouchers.filter((voucher) => !((endOf(voucher) ?? now) < now))
  if (usable.length === 0) throw new DomainError('voucher_ended')
  const { site, logo } = await readSlipSite(ctx, actor, siteId)
  const languages = query.language ?? languagesOf(site.guestInfo, language)
  return {
    slips: usable.flatMap((voucher) => slipsOf(voucherToWire(now, voucher), site, languages)),
    paper: query.paper ?? paper,
    logo,
  }
}

/** What slips say about a site, and its logo or that of the house. */
export async function readSlipSite(ctx: V2Context, actor: Requester, siteId: number) {
  const guestInfo = await getSlipInfoOf(ctx, actor, siteId)
  const logo = (await findLogo(ctx.db, siteId, limitingActorId(actor))) ?? (await findHouseLogo(ctx.db))
  const [label] = await listSiteLabels(ctx.db, [siteId])
  const site = { name: label?.name ?? String(siteId), house: guestInfo.house.name, guestInfo }
  return { site, logo: logo?.bytes ?? null }
}

/** The first languages of the site, or else the one that the caller prefers. */
export function languagesOf({ guest_languages: ofSite }: { guest_languages: GuestLanguage[] }, preferred: Language) {
  return ofSite.length > 0 ? ofSite.slice(0, maxSlipLanguages) : [preferred]
}

export function explainFailure(error: unknown): never {
  if (error instanceof DrawingFailed) throw new DomainError('slips_not_drawn', { cause: error })
  throw error
}
