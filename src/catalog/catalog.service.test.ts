import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/harness.ts'
import { getProfile } from './catalog.service.ts'

test('a slug that no text can be is unknown, as every other that is not there', async () => {
  const ctx = await createTestDatabase()
  for (const slug of ['kettle\0', '\0', 'no-such-kettle'])
    expect(await getProfile(ctx, { category: 'kettles', slug })).toBe(null)
})
