import type { FastifyInstance } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import { exportBatch, listBatchRows } from './batch-rows.ts'
import { cancelBatch, createBatch, getBatch, listBatches, retryBatch } from './batches.ts'
import { answerProblem } from './errors/answer-problem.ts'
import { exportVouchers } from './export-vouchers.ts'
import { registerBodyParser } from './kit/check-input.ts'
import { answerWithEtag } from './kit/etag.ts'
import { registerOpenapi } from './kit/openapi.ts'
import type { Operation, V2Context } from './kit/operation.ts'
import { registerOperations } from './kit/register-operations.ts'
import type { CallerContext } from './kit/require-caller.ts'
import { lookUpCode } from './look-up.ts'
import {
  createController,
  deleteController,
  getController,
  listControllerSites,
  listControllers,
  updateController,
} from './manage/controllers.ts'
import { deleteLogo, getGuestInfo, getLogo, updateGuestInfo, updateLogo } from './manage/guest-info.ts'
import { createSite, deleteSite, getSiteSettings, syncSite, updateSite } from './manage/sites.ts'
import { createTemplate, deleteTemplate, updateTemplate } from './manage/templates.ts'
import { createWebhook, deleteWebhook, getWebhook, listWebhooks } from './manage/webhooks.ts'
import { deleteMySession, deleteMySessions, getMe, listMySessions, updateMe, updateMyPassword } from './people/me.ts'
import {
  createFirstAdministrator,
  createSession,
  deleteSession,
  getSession,
  updatePasswordByLink,
} from './people/session.ts'
import { getRevocation, listRevocationRows, listRevocations, revokeVoucher, revokeVouchers } from './revocations.ts'
import { getSite, listSites } from './sites.ts'
import { listTemplates } from './templates.ts'
import { updateVoucher } from './voucher-change.ts'
import { getVoucherOutcome } from './voucher-outcome.ts'
import { createVoucher, getVoucher, listVouchers } from './vouchers.ts'

/** All operations of API v2. */
export const operations: Operation[] = [
  getSession,
  createSession,
  deleteSession,
  createFirstAdministrator,
  updatePasswordByLink,
  getMe,
  updateMe,
  updateMyPassword,
  listMySessions,
  deleteMySessions,
  deleteMySession,
  listSites,
  getSite,
  createSite,
  updateSite,
  deleteSite,
  getSiteSettings,
  syncSite,
  getGuestInfo,
  updateGuestInfo,
  getLogo,
  updateLogo,
  deleteLogo,
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
export function registerV2(app: FastifyInstance, ctx: CallerContext & V2Context): void {
  app.register(
    (v2, _options, done) => {
      v2.setErrorHandler(answerProblem)
      v2.setNotFoundHandler(() => {
        throw new DomainError('endpoint_not_found')
      })
      v2.addHook('onSend', async (request, reply, payload) =>
        isRead(request.method) && reply.statusCode === 200 && (typeof payload === 'string' || Buffer.isBuffer(payload))
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
