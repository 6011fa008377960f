import { describe, expect, test } from 'vitest'
import { choosePrimary, placeOf, type Server, serverUrls } from './primary.ts'

describe('the servers that a URL names', () => {
  test.each([
    ['postgresql://u:p%40@db/souk', ['postgresql://u:p%40@db/souk']],
    ['postgresql://u@/souk?host=/run/a', ['postgresql://u@/souk?host=/run/a']],
    [
      'postgres://u:p,q@db1,db2:5433/souk?sslmode=disable',
      ['postgres://u:p,q@db1/souk?sslmode=disable', 'postgres://u:p,q@db2:5433/souk?sslmode=disable'],
    ],
    ['postgres://[::1]:5433,db2/souk', ['postgres://[::1]:5433/souk', 'postgres://db2/souk']],
    [
      'postgresql://u@/souk?host=/run/a,/run/b&port=5432,5433',
      ['postgresql://u@/souk?host=%2Frun%2Fa&port=5432', 'postgresql://u@/souk?host=%2Frun%2Fb&port=5433'],
    ],
    [
      'postgresql://u@/souk?host=/run/a,/run/b&port=6000',
      ['postgresql://u@/souk?host=%2Frun%2Fa&port=6000', 'postgresql://u@/souk?host=%2Frun%2Fb&port=6000'],
    ],
  ])('%s', (url, servers) => {
    expect(serverUrls(url)).toEqual(servers)
  })

  test('each is one that the driver takes for another place', () => {
    const places = serverUrls('postgresql://u@/souk?host=/run/a,/run/b').map((url) => placeOf(url))
    expect(places).toEqual(['/run/a', '/run/b'])
    expect(placeOf('postgres://u:secret@[::1]:5433/souk')).toBe('::1:5433')
  })
})

describe('which of them takes writes', () => {
  const primary = (url: string, timeline: string, system = '7'): Server => ({
    url,
    state: 'primary',
    system,
    timeline,
  })
  const standby = (url: string): Server => ({ url, state: 'standby', system: '7' })
  const away = (url: string): Server => ({ url, state: 'away', why: 'connection refused' })
  const chosen = (servers: Server[], current = 'a', system: string | null = '7') =>
    choosePrimary(servers, { current, system })?.url ?? null

  test('the one that is no standby', () => {
    expect(chosen([standby('a'), primary('b', '00000002')])).toBe('b')
    expect(chosen([away('a'), primary('b', '00000002')])).toBe('b')
  })

  test('none while all of them are standbys or away', () => {
    expect(chosen([standby('a'), away('b')])).toBeNull()
  })

  test('of two, the one that was promoted later, wherever the node is', () => {
    const both = [primary('a', '00000009'), primary('b', '0000000A')]
    expect(chosen(both, 'a')).toBe('b')
    expect(chosen(both, 'b')).toBe('b')
  })

  test('the one in use stays while another is not ahead of it', () => {
    const both = [primary('a', '00000001'), primary('b', '00000001')]
    expect(chosen(both, 'a')).toBe('a')
    expect(chosen(both, 'b')).toBe('b')
  })

  test('another database is never taken for a copy of this one', () => {
    expect(chosen([away('a'), primary('b', '00000005', '8')])).toBeNull()
    const both = [primary('a', '00000001'), primary('b', '00000005', '8')]
    expect(chosen(both, 'a', null)).toBe('a')
  })
})
