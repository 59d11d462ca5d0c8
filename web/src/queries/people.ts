import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type { NewPerson, PersonChange, StaffMember, VoucherApi } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { loadAll } from './load-all.ts'
import { pollEvery } from './polling.ts'
import { reloads } from './reloads.ts'

const all = ['staff']

type StaffFilter = NonNullable<Parameters<VoucherApi['listStaff']>[0]>

type StaffPage = Awaited<ReturnType<VoucherApi['listStaff']>>

function hasWaitingMail({ link_message: message }: StaffMember): boolean {
  return message?.state === 'waiting'
}

/** A page of the people whom this person may manage. */
export const staffQuery = (filter: StaffFilter) =>
  queryOptions({
    queryKey: [...all, filter],
    queryFn: () => api.listStaff(filter),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery((page?: StaffPage) => (page?.staff.some(hasWaitingMail) ? 3_000 : false)),
  })

export const createPerson = mutationOptions({
  mutationFn: (person: NewPerson) => api.createPerson(person),
  ...reloads(all),
})

export const updatePerson = (id: string) =>
  mutationOptions({ mutationFn: (change: PersonChange) => api.updatePerson(id, change), ...reloads(all) })

export const activatePerson = mutationOptions({
  mutationFn: ({ id }: { id: string }) => api.updatePerson(id, { active: true }),
  ...reloads(all),
})

export const createPasswordLink = mutationOptions({
  mutationFn: ({ id, sendsEmail }: { id: string; name: string; email: string; sendsEmail: boolean }) =>
    api.createPasswordLink(id, sendsEmail ? { send_email: true } : {}),
  ...reloads(all),
})

/** Signs a person out, deactivates them, removes their second factors, or unlinks the company's account. */
export const endAccess = (id: string, how: 'sign-out' | 'deactivate' | 'reset-factors' | 'unlink') =>
  mutationOptions({
    mutationFn: async () => {
      if (how === 'deactivate') await api.updatePerson(id, { active: false })
      else if (how === 'reset-factors') await api.deletePersonSecondFactors(id)
      else if (how === 'unlink') await api.deletePersonIdentity(id)
      else await api.deletePersonSessions(id)
    },
    ...reloads(all),
  })

/** All people, by name. */
export const allStaffQuery = queryOptions({
  queryKey: [...all, 'everybody'],
  queryFn: () => loadAll((page) => api.listStaff(page)),
})
