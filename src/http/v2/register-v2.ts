import type { FastifyInstance } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import { exportAudit, listAudit } from './audit/audit.ts'
import { exportBatch, listBatchRows } from './batches/batch-rows.ts'
import { cancelBatch, createBatch, getBatch, listBatches, retryBatch } from './batches/batches.ts'
import { checkController } from './controllers/check-controller.ts'
import { createControllerSites, listControllerSites } from './controllers/controller-sites.ts'
import {
  createController,
  deleteController,
  getController,
  listControllers,
  updateController,
} from './controllers/controllers.ts'
import { answerProblem } from './errors/answer-problem.ts'
import { eraseGuests, exportGuests, listErasures, listStoredGuestData, searchGuests } from './guests/guests.ts'
import { getHold } from './hold.ts'
import { createKey, getKey, listKeys, revokeKey, rollKey, updateKey } from './keys/keys.ts'
import { registerBodyParser } from './kit/check-input.ts'
import { answerWithEtag } from './kit/etag.ts'
import { registerOpenapi } from './kit/openapi.ts'
import type { Operation, V2Context } from './kit/operation.ts'
import { registerOperations, rejectOtherMethods } from './kit/register-operations.ts'
import type { CallerContext } from './kit/require-caller.ts'
import { createMessage, listVoucherMessages } from './messages/messages.ts'
import { exportOverview } from './overview/export-overview.ts'
import { getOverview } from './overview/overview.ts'
import {
  deleteMyIdentity,
  deleteMySession,
  deleteMySessions,
  getMe,
  listMySessions,
  updateMe,
  updateMyPassword,
} from './people/me.ts'
import {
  checkAuthenticatorApp,
  createAuthenticatorApp,
  createPasskey,
  createPasskeyOptions,
  createRecoveryCodes,
  deleteAuthenticatorApp,
  deletePasskey,
  enableAuthenticatorApp,
  getMySecondFactors,
  updatePasskey,
} from './people/my-second-factors.ts'
import {
  checkSecondFactor,
  checkSignInAgain,
  createSecondFactorOptions,
  createSignInAgainOptions,
} from './people/second-factor.ts'
import {
  checkSetupToken,
  createFirstAdministrator,
  createPasswordLinkByEmail,
  createSession,
  deleteSession,
  getSession,
  updatePasswordByLink,
  updateSession,
} from './people/session.ts'
import {
  createPasswordLink,
  createPerson,
  deletePersonIdentity,
  deletePersonSecondFactors,
  deletePersonSessions,
  getPerson,
  listStaff,
  updatePerson,
} from './people/staff.ts'
import {
  getRevocation,
  listRevocationRows,
  listRevocations,
  revokeVoucher,
  revokeVouchers,
} from './revocations/revocations.ts'
import {
  deleteHouseLogo,
  getAccentColors,
  getAppearance,
  updateAppearance,
  updateHouseLogo,
} from './settings/appearance.ts'
import {
  checkGuestData,
  deleteSiteGuestData,
  getGuestDataSettings,
  updateGuestDataSettings,
  updateSiteGuestData,
} from './settings/guest-data.ts'
import {
  deleteMailSender,
  deleteMailServer,
  deleteSiteMailSender,
  getMailSettings,
  testMailServer,
  updateMailSender,
  updateMailServer,
  updateSiteMailSender,
} from './settings/mail.ts'
import { getSecondFactorSettings, updateSecondFactorSettings } from './settings/second-factor.ts'
import { checkSignInGroups, getSignInSettings, updateSignInGroups, updateSignInSettings } from './settings/sign-in.ts'
import { deleteLogo, getGuestInfo, getLogo, updateGuestInfo, updateLogo } from './sites/guest-info.ts'
import { checkSiteImport, importSites } from './sites/import-sites.ts'
import { getIssuing } from './sites/issuing.ts'
import {
  createSite,
  deleteSite,
  getSite,
  getSiteEffects,
  getSiteSettings,
  listSites,
  syncSite,
  updateSite,
} from './sites/sites.ts'
import { checkSlip } from './slips/slip-preview.ts'
import { getBatchSlips, getSlip, getSlipPicture } from './slips/slips.ts'
import { createTemplate, deleteTemplate, listTemplates, updateTemplate } from './templates/templates.ts'
import { exportVouchers } from './vouchers/export-vouchers.ts'
import { lookUpCode } from './vouchers/look-up.ts'
import { lookUpName } from './vouchers/look-up-name.ts'
import { updateVoucher } from './vouchers/voucher-change.ts'
import { getVoucherEnds } from './vouchers/voucher-ends.ts'
import { getVoucherHistory } from './vouchers/voucher-history.ts'
import { getVoucherOutcome } from './vouchers/voucher-outcome.ts'
import { createVoucher, getVoucher, listVouchers } from './vouchers/vouchers.ts'
import { listDeliveries, replayDeliveries } from './webhooks/deliveries.ts'
import { enableWebhook, rotateWebhookSecret, testWebhook } from './webhooks/use-webhook.ts'
import { createWebhook, deleteWebhook, getWebhook, listWebhooks, updateWebhook } from './webhooks/webhooks.ts'

export const operations: Operation[] = [
  getSession,
  createSession,
  deleteSession,
  updateSession,
  checkSecondFactor,
  createSecondFactorOptions,
  checkSignInAgain,
  createSignInAgainOptions,
  checkSetupToken,
  createFirstAdministrator,
  updatePasswordByLink,
  createPasswordLinkByEmail,
  getMe,
  updateMe,
  updateMyPassword,
  listMySessions,
  deleteMySessions,
  deleteMySession,
  getMySecondFactors,
  createAuthenticatorApp,
  checkAuthenticatorApp,
  enableAuthenticatorApp,
  deleteAuthenticatorApp,
  createRecoveryCodes,
  createPasskeyOptions,
  createPasskey,
  updatePasskey,
  deletePasskey,
  deleteMyIdentity,
  listStaff,
  createPerson,
  getPerson,
  updatePerson,
  createPasswordLink,
  deletePersonSessions,
  deletePersonSecondFactors,
  deletePersonIdentity,
  getOverview,
  exportOverview,
  getHold,
  getAppearance,
  updateAppearance,
  getAccentColors,
  updateHouseLogo,
  deleteHouseLogo,
  getSecondFactorSettings,
  updateSecondFactorSettings,
  getSignInSettings,
  updateSignInSettings,
  updateSignInGroups,
  checkSignInGroups,
  getGuestDataSettings,
  updateGuestDataSettings,
  updateSiteGuestData,
  deleteSiteGuestData,
  checkGuestData,
  getMailSettings,
  updateMailServer,
  deleteMailServer,
  updateMailSender,
  deleteMailSender,
  updateSiteMailSender,
  deleteSiteMailSender,
  testMailServer,
  searchGuests,
  listStoredGuestData,
  exportGuests,
  eraseGuests,
  listErasures,
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
  getIssuing,
  getGuestInfo,
  updateGuestInfo,
  checkSlip,
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
  lookUpName,
  getVoucher,
  getSlip,
  getSlipPicture,
  getVoucherHistory,
  createMessage,
  listVoucherMessages,
  getVoucherEnds,
  updateVoucher,
  revokeVoucher,
  listBatches,
  createBatch,
  getBatch,
  listBatchRows,
  exportBatch,
  getBatchSlips,
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

/**
 * API v2. It answers failures in its own format, including unknown paths below `/api/v2`. `webScript` names the
 * script of the web app. Answers to requests with a cookie have it in the header `Web-App`, so that an open page notices an update of
 * the service. Programs send no cookie and do not get the header.
 */
export function registerV2(app: FastifyInstance, ctx: CallerContext & V2Context, webScript?: string): void {
  app.register(
    (v2, _options, done) => {
      if (webScript !== undefined)
        v2.addHook('onRequest', (request, reply, next) => {
          if (request.headers.cookie !== undefined) reply.header('web-app', webScript)
          next()
        })
      v2.addHook('onRequest', rejectOtherMethods(ctx, operations, v2Path))
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
