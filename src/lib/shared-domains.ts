/**
 * Domains below which many unrelated parties are at home: public suffixes (com, co.uk), platforms that give each shop a
 * name of its own (myshopify.com), and marketplaces where anybody sells. That something lies there says nothing about who
 * owns it. Suffixes and most platforms come from the Public Suffix List; marketplaces are in no list that is kept for us.
 */
import { parse } from 'tldts'

/** By the name before the suffix, because most of them are in many countries. */
const MARKETPLACES: ReadonlySet<string> = new Set(
  `alibaba aliexpress allegro amazon amzn bol carousell catch cdiscount coupang depop ebay emag etsy flipkart fnac fruugo
  gmarket idealo jd joom kaufland lazada leboncoin manomano mercadolibre mercadolivre myntra newegg onbuy otto ozon
  poshmark rakuten reverb sears shein shopee snapdeal taobao temu tiktok tmall tokopedia trendyol vinted walmart wayfair
  wildberries wish zalando
  bigcartel bigcommerce ecwid facebook google gumroad instagram linktr payhip pinterest prestashop sellfy shopify
  shoplazza square squarespace storenvy weebly wix woocommerce wordpress youtube`.split(/\s+/),
)

/** Whether names at and below the domain may belong to anybody. */
export function isSharedDomain(domain: string): boolean {
  const { publicSuffix, hostname, domainWithoutSuffix, subdomain } = parse(domain, {
    allowPrivateDomains: true,
  })
  if (hostname === null || hostname === publicSuffix) return true
  return subdomain === '' && MARKETPLACES.has(domainWithoutSuffix ?? '')
}
