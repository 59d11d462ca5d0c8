import type { FastifyInstance } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import { exportAudit, listAudit } from './audit.ts'
import { exportBatch, listBatchRows } from './batch-rows.ts'
import { cancelBatch, createBatch, getBatch, listBatches, retryBatch } from './batches.ts'
import { answerProblem } from './errors/answer-problem.ts'
import { exportVouchers } from './export-vouchers.ts'
import { createKey, getKey, listKeys, revokeKey, rollKey, updateKey } from './keys/keys.ts'
import { registerBodyParser } from './kit/check-input.ts'
import { answerWithEtag } from './kit/etag.ts'
import { registerOpenapi } from './kit/openapi.ts'
import type { Operation, V2Context } from './kit/operation.ts'
import { registerOperations } from './kit/register-operations.ts'
import type { CallerContext } from './kit/require-caller.ts'
import { lookUpCode } from './look-up.ts'
import { checkController } from './manage/check-controller.ts'
import { createControllerSites, listControllerSites } from './manage/controller-sites.ts'
import {
  createController,
  deleteController,
  getController,
  listControllers,
  updateController,
} from './manage/controllers.ts'
import { deleteLogo, getGuestInfo, getLogo, updateGuestInfo, updateLogo } from './manage/guest-info.ts'
import { getHold } from './manage/hold.ts'
import { checkSiteImport, importSites } from './manage/import-sites.ts'
import { getOverview } from './manage/overview.ts'
import { createSite, deleteSite, getSiteEffects, getSiteSettings, syncSite, updateSite } from './manage/sites.ts'
import { createTemplate, deleteTemplate, updateTemplate } from './manage/templates.ts'
import { deleteMySession, deleteMySessions, getMe, listMySessions, updateMe, updateMyPassword } from './people/me.ts'
import {
  createFirstAdministrator,
  createSession,
  deleteSession,
  getSession,
  updatePasswordByLink,
} from './people/session.ts'
import {
  createPasswordLink,
  createPerson,
  deletePersonSessions,
  getPerson,
  listStaff,
  updatePerson,
} from './people/staff.ts'
import { getRevocation, listRevocationRows, listRevocations, revokeVoucher, revokeVouchers } from './revocations.ts'
import { getSite, listSites } from './sites.ts'
import { listTemplates } from './templates.ts'
import { updateVoucher } from './voucher-change.ts'
import { getVoucherHistory } from './voucher-history.ts'
import { getVoucherOutcome } from './voucher-outcome.ts'
import { createVoucher, getVoucher, listVouchers } from './vouchers.ts'
import { listDeliveries, replayDeliveries } from './webhooks/deliveries.ts'
import { enableWebhook, rotateWebhookSecret, testWebhook } from './webhooks/use-webhook.ts'
import { createWebhook, deleteWebhook, getWebhook, listWebhooks, updateWebhook } from './webhooks/webhooks.ts'

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
  listStaff,
  createPerson,
  getPerson,
  updatePerson,
  createPasswordLink,
  deletePersonSessions,
  getOverview,
  getHold,
  listSites,
  getSite,
  createSite,
  importSites,
  checkSiteImport,
  updateSite,
  deleteSite,
  getSiteSettings,
  getSiteEffects,
  syncSite,
  getGuestInfo,
  updateGuestInfo,
  getLogo,
  updateLogo,
  deleteLogo,
  listControllers,
  createController,
  checkController,
  getController,
  updateController,
  deleteController,
  listControllerSites,
  createControllerSites,
  listTemplates,
  createTemplate,
  updateTemplate,
  deleteTemplate,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  enableWebhook,
  rotateWebhookSecret,
  listDeliveries,
  replayDeliveries,
  listKeys,
  createKey,
  getKey,
  updateKey,
  revokeKey,
  rollKey,
  listVouchers,
  exportVouchers,
  createVoucher,
  getVoucherOutcome,
  lookUpCode,
  getVoucher,
  getVoucherHistory,
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
  listAudit,
  exportAudit,
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
      registerBodyParser(v2)
      registerOpenapi(v2, operations)
      v2.register((scope, _, registered) => {
        scope.addHook('onSend', async (request, reply, payload) =>
          isRead(request.method) &&
          reply.statusCode === 200 &&
          (typeof payload === 'string' || Buffer.isBuffer(payload))
            ? answerWithEtag(request, reply, payload)
            : payload,
        )
        registerOperations(scope, ctx, operations)
        registered()
      })
      done()
    },
    { prefix: v2Path },
  )
}
