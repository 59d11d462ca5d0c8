import type { FastifyInstance } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import type { KeyContext } from '../server/read-request.ts'
import { exportBatch, listBatchRows } from './batch-rows.ts'
import { cancelBatch, createBatch, getBatch, listBatches, retryBatch } from './batches.ts'
import { exportVouchers } from './export-vouchers.ts'
import { answerProblem } from './kit/answer-problem.ts'
import { registerBodyParser } from './kit/check-input.ts'
import { answerWithEtag } from './kit/etag.ts'
import { registerOpenapi } from './kit/openapi.ts'
import type { Operation, V2Context } from './kit/operation.ts'
import { registerOperations } from './kit/register-operations.ts'
import { lookUpCode } from './look-up.ts'
import {
  createController,
  deleteController,
  getController,
  listControllerSites,
  listControllers,
  updateController,
} from './manage/controllers.ts'
import { getMe } from './manage/me.ts'
import { createSite, deleteSite, getSiteSettings, syncSite, updateSite } from './manage/sites.ts'
import { createTemplate, deleteTemplate, updateTemplate } from './manage/templates.ts'
import { createWebhook, deleteWebhook, getWebhook, listWebhooks } from './manage/webhooks.ts'
import { getRevocation, listRevocationRows, listRevocations, revokeVoucher, revokeVouchers } from './revocations.ts'
import { getSite, listSites } from './sites.ts'
import { listTemplates } from './templates.ts'
import { updateVoucher } from './voucher-change.ts'
import { getVoucherOutcome } from './voucher-outcome.ts'
import { createVoucher, getVoucher, listVouchers } from './vouchers.ts'

/** All operations of API v2. */
export const operations: Operation[] = [
  getMe,
  listSites,
  getSite,
  createSite,
  updateSite,
  deleteSite,
  getSiteSettings,
  syncSite,
  listControllers,
  createController,
  getController,
  updateController,
  deleteController,
  listControllerSites,
  listTemplates,
  createTemplate,
  updateTemplate,
  deleteTemplate,
  listWebhooks,
  createWebhook,
  getWebhook,
  deleteWebhook,
  listVouchers,
  exportVouchers,
  createVoucher,
  getVoucherOutcome,
  lookUpCode,
  getVoucher,
  updateVoucher,
  revokeVoucher,
  listBatches,
  createBatch,
  getBatch,
  listBatchRows,
  exportBatch,
  cancelBatch,
  retryBatch,
  revokeVouchers,
  listRevocations,
  getRevocation,
  listRevocationRows,
]

/** The path is fixed. `BASE_PATH` moves only API v1, so that it can replace an existing server. */
const v2Path = '/api/v2'

export function isUnderV2(url: string): boolean {
  return url === v2Path || url.startsWith(`${v2Path}/`) || url.startsWith(`${v2Path}?`)
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** API v2. It answers failures in its own format, including unknown paths below `/api/v2`. */
export function registerV2(app: FastifyInstance, ctx: KeyContext & V2Context): void {
  app.register(
    (v2, _options, done) => {
      v2.setErrorHandler(answerProblem)
      v2.setNotFoundHandler(() => {
        throw new DomainError('endpoint_not_found')
      })
      v2.addHook('onSend', async (request, reply, payload) =>
        isRead(request.method) && reply.statusCode === 200 && typeof payload === 'string'
          ? answerWithEtag(request, reply, payload)
          : payload,
      )
      registerBodyParser(v2)
      registerOpenapi(v2, operations)
      registerOperations(v2, ctx, operations)
      done()
    },
    { prefix: v2Path },
  )
}
