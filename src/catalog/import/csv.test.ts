import { describe, expect, it } from 'vitest'
import { readCsv } from './csv.ts'
import type { ReaderOptions, SourceRow } from './rows.ts'

async function* chunksOf(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}

const read = (text: string, options?: ReaderOptions): Promise<SourceRow[]> =>
  collect(readCsv(chunksOf(text), options))

async function readOne(text: string, options?: ReaderOptions): Promise<Record<string, unknown>> {
  const rows = await read(text, options)
  const row = rows[0]
  if (rows.length !== 1 || !row || !('product' in row))
    throw new Error(`not one product: ${JSON.stringify(rows)}`)
  return row.product
}

describe('a CSV file', () => {
  it('becomes products of the import contract', async () => {
    const rows = await read(
      [
        'SKU,Product Name,Manufacturer,Category,Price,MSRP,EAN,Image URL,Best_For,spec:Weight,specs.Color,Rating,Reviews,Discontinued,Description,URL',
        'K-1,"Kettle, 1.7 l",Acme,Home > Kitchen > Kettles,"$1,049.50",$1299,0012345678905,https://a.example/1.jpg|https://a.example/2.jpg,tea | coffee,1.2 kg,red,4.6,"1,234",no,"Boils ""fast"".',
        'Stays hot.",https://www.shop.example/k1',
        'K-2,Mug,,mugs,,,,,,,,,,,,',
      ].join('\n'),
    )
    expect(rows).toEqual([
      {
        line: 2,
        product: {
          id: 'K-1',
          sku: 'K-1',
          title: 'Kettle, 1.7 l',
          brand: 'Acme',
          category: ['Home', 'Kitchen', 'Kettles'],
          currency: '$',
          price: { low: 1049.5, high: 1049.5 },
          list_price: 1299,
          gtin: '0012345678905',
          images: [{ url: 'https://a.example/1.jpg' }, { url: 'https://a.example/2.jpg' }],
          best_for: ['tea', 'coffee'],
          specs: { Weight: '1.2 kg', Color: 'red' },
          rating: 4.6,
          review_count: 1234,
          discontinued: false,
          description: 'Boils "fast".\nStays hot.',
          where_to_buy: [{ name: 'shop.example', url: 'https://www.shop.example/k1' }],
        },
      },
      { line: 4, product: { id: 'K-2', sku: 'K-2', title: 'Mug', category: ['mugs'] } },
    ])
  })

  it.each([
    ['commas', ','],
    ['semicolons', ';'],
    ['tabs', '\t'],
    ['bars', '|'],
  ])('may be separated by %s, with a byte order mark and Windows line ends', async (_, mark) => {
    const text = `\ufeff${['Title', 'Category, main'].join(mark)}${mark}"a;b,c"\r\n${['Kettle', 'kettles', 'x'].join(mark)}\r\n`
    const rows = await read(mark === ',' ? text.replace('Category, main', 'Category') : text, {
      mapping: { category: mark === ',' ? 'Category' : 'Category, main' },
    })
    expect(rows).toMatchObject([{ line: 2, product: { title: 'Kettle', category: ['kettles'] } }])
  })

  it.each([
    ['utf-16le', Buffer.from('\ufeffTitle\tCategory\r\nThéière\tkettles\r\n', 'utf16le')],
    ['utf-16be', Buffer.from('\ufeffTitle\tCategory\r\nThéière\tkettles\r\n', 'utf16le').swap16()],
    ['utf-16le without a mark', Buffer.from('Title\tCategory\r\nThéière\tkettles\r\n', 'utf16le')],
    ['windows-1252', Buffer.from('Title\tCategory\r\nThéière\tkettles\r\n', 'latin1')],
  ])('may be what a spreadsheet calls Unicode text (%s)', async (_, bytes) => {
    const rows = await collect(readCsv(chunksOf(bytes.subarray(0, 15), bytes.subarray(15))))
    expect(rows).toEqual([{ line: 2, product: { title: 'Théière', category: ['kettles'] } }])
  })

  it('without rows, or without anything, gives nothing', async () => {
    expect(await read('')).toEqual([])
    expect(await read('title,category\n')).toEqual([])
  })
})

describe('columns', () => {
  it.each([
    ['Product Name', 'title'],
    ['product_title', 'title'],
    ['NAME', 'title'],
    ['Brand-Name', 'brand'],
    ['manufacturer', 'brand'],
    ['UPC', 'gtin'],
    ['Barcode', 'gtin'],
    ['Manufacturer Part Number', 'mpn'],
    ['Model No.', 'model'],
    ['release date', 'released'],
  ])('%s is understood as %s', async (column, field) => {
    expect(await readOne(`${column},category\nvalue,x\n`)).toEqual({ [field]: 'value', category: ['x'] })
  })

  it('that mean the same are asked in turn, row by row', async () => {
    const rows = await read('title,category,Barcode,EAN\nA,x,111,222\nB,x,333,\n')
    expect(rows.map((row) => 'product' in row && row.product.gtin)).toEqual(['222', '333'])
  })

  it('of pictures are put together', async () => {
    const product = await readOne(
      'title,category,image 1,image 2\nA,x,https://a.example/1.jpg,https://a.example/2.jpg\n',
    )
    expect(product.images).toHaveLength(2)
  })

  it('are taken from an explicit mapping before any guess, and one may serve two fields', async () => {
    const text = 'Artikel,Name,Gruppe,Länge\nKettle,ACME-1,kettles,20 cm\n'
    const mapping = {
      title: 'artikel',
      model: 'Name',
      category: 'Gruppe',
      verdict: 'Gruppe',
      'spec:Length': 'Länge',
    }
    expect(await readOne(text, { mapping })).toEqual({
      title: 'Kettle',
      model: 'ACME-1',
      category: ['kettles'],
      verdict: 'kettles',
      specs: { Length: '20 cm' },
    })
  })

  it('that are mapped are not also what their name says', async () => {
    const product = await readOne('title,Brand\nKettle,AC-17\n', { mapping: { model: 'Brand' } })
    expect(product).toEqual({ title: 'Kettle', model: 'AC-17' })
  })

  it('missing from the file but mapped are an error that names the ones there are', async () => {
    await expect(read('Artikel,Gruppe\nA,b\n', { mapping: { title: 'Titel' } })).rejects.toMatchObject({
      kind: 'invalid',
      field: 'mapping.title',
      message: expect.stringContaining('"Artikel", "Gruppe"'),
      valid: ['Artikel', 'Gruppe'],
    })
  })

  it('mapped to something a product does not have are an error', async () => {
    await expect(read('title\nA\n', { mapping: { colour: 'title' } })).rejects.toMatchObject({
      field: 'mapping.colour',
    })
    await expect(read('title\nA\n', { mapping: { constructor: 'title' } })).rejects.toMatchObject({
      kind: 'invalid',
    })
  })

  it('of which none is known are an error before the first row', async () => {
    await expect(read('Kettle,49.00\nMug,9.00\n')).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('"Kettle", "49.00"'),
    })
  })

  it('of short values are specs by their own names; those of stock, tax and the like are named once', async () => {
    const notices: string[] = []
    const rows = await read(
      'title,Material,Tax class,Stock,category\nA,wool,standard,4,x\nB,silk,standard,2,x\n',
      { onNotice: (text) => notices.push(text) },
    )
    expect(rows).toMatchObject([
      { product: { specs: { Material: 'wool' } } },
      { product: { specs: { Material: 'silk' } } },
    ])
    expect(notices).toEqual([expect.stringContaining('"Tax class", "Stock"')])
  })

  it('for the title is missed aloud', async () => {
    const notices: string[] = []
    await read('sku\n1\n', { onNotice: (text) => notices.push(text) })
    expect(notices).toEqual([expect.stringContaining('title')])
  })

  it.each([
    [
      'Artikelnummer;Bezeichnung;Marke;Warengruppe;VK brutto',
      'A-1;Wasserkocher;Acme;Küche > Kocher;1.049,50',
    ],
    ['Référence;Désignation;Marque;Catégorie;Prix TTC', 'A-1;Wasserkocher;Acme;Küche > Kocher;1 049,50'],
    ['Código;Nombre;Marca;Categoría;Precio', 'A-1;Wasserkocher;Acme;Küche > Kocher;1049,50'],
    ['Varenr.;Varenavn;Producent;Kategori;Pris inkl. moms', 'A-1;Wasserkocher;Acme;Küche > Kocher;1049,50'],
    ['Kód;Název zboží;Výrobce;Kategorie;Cena s DPH', 'A-1;Wasserkocher;Acme;Küche > Kocher;1 049,50'],
    ['Symbol;Nazwa produktu;Producent;Kategoria;Cena brutto', 'A-1;Wasserkocher;Acme;Küche > Kocher;1049,50'],
  ])('may be named in other languages: %s', async (header, row) => {
    const notices: string[] = []
    const rows = await read(`${header}\n${row}\n`, { onNotice: (text) => notices.push(text) })
    expect(rows).toMatchObject([
      {
        product: {
          id: 'A-1',
          title: 'Wasserkocher',
          brand: 'Acme',
          category: ['Küche', 'Kocher'],
          price: { low: 1049.5, high: 1049.5 },
        },
      },
    ])
    expect(notices[0]).toContain('itle from "')
  })

  it('without telling names are known by what they hold', async () => {
    const notices: string[] = []
    const rows = await read(
      'K1;K2;K3;K4;K5\n4006381333931;Fineliner blau;12,90 €;https://a.example/1.jpg;20\n4006381333948;Fineliner rot;1.012,90 €;https://a.example/2.jpg;20\n',
      { onNotice: (text) => notices.push(text) },
    )
    expect(rows[1]).toMatchObject({
      product: {
        gtin: '4006381333948',
        title: 'Fineliner rot',
        price: { low: 1012.9, high: 1012.9 },
        currency: 'EUR',
        images: [{ url: 'https://a.example/2.jpg' }],
      },
    })
    expect(notices[0]).toContain('itle from "K2", detected from its values')
  })

  it('may be the levels of a category, and name the parent of a variant', async () => {
    const rows = await read(
      'Artikelnummer;Artikelname;Vaterartikel;Kategorie Ebene 1;Kategorie Ebene 2;Variationswert 1\nT-1;Tee;;Kleidung;Shirts;\nT-1-S;Tee S;T-1;Kleidung;Shirts;S\n',
    )
    expect(rows).toMatchObject([
      { product: { id: 'T-1', category: ['Kleidung', 'Shirts'] } },
      { product: { id: 'T-1-S', group: 'id:T-1', options: { 'Variationswert 1': 'S' } } },
    ])
  })

  it('above the header are passed over', async () => {
    const rows = await read('sep=;\nPreisliste, Stand Mai\n\nArt.-Nr.;Titel;Preis (EUR)\n7;Mug;3,50\n')
    expect(rows).toEqual([
      {
        line: 5,
        product: { id: '7', sku: '7', title: 'Mug', price: { low: 3.5, high: 3.5 }, currency: 'EUR' },
      },
    ])
  })

  it('of ids give the most distinct one, and the one that repeats makes groups', async () => {
    const rows = await read(
      'product_id,sku,name,color,size\n1,TS-R-M,Tee,Red,M\n1,TS-B-M,Tee,Blue,M\n2,MUG,Mug,,\n',
    )
    expect(rows).toMatchObject([
      { product: { id: 'TS-R-M', group: '1', options: { color: 'Red', size: 'M' } } },
      { product: { id: 'TS-B-M', group: '1', options: { color: 'Blue', size: 'M' } } },
      { product: { id: 'MUG', title: 'Mug' } },
    ])
    expect(rows[2]).not.toHaveProperty('product.group')
  })

  it('named like a prototype change nothing', async () => {
    const product = await readOne('title,category,spec:__proto__,spec:constructor\nA,x,1,2\n')
    expect(product.specs).toEqual({ constructor: '2' })
  })
})

describe('prices in a CSV file', () => {
  const prices = async (header: string, row: string) => {
    const { title: _, ...rest } = await readOne(`title,${header}\nA,${row}\n`)
    return rest
  }

  it.each([
    ['price', '12.50', { price: { low: 12.5, high: 12.5 } }],
    ['price', '"$1,299.00"', { price: { low: 1299, high: 1299 }, currency: '$' }],
    ['price', '$49 – $59', { price: { low: 49, high: 59 }, currency: '$' }],
    ['price_eur', '49', { price: { low: 49, high: 49 }, currency: 'EUR' }],
    ['price,currency', '49,SEK', { price: { low: 49, high: 49 }, currency: 'SEK' }],
    ['price_low,price_high', '49,59', { price: { low: 49, high: 59 } }],
    ['price low,price high', '49,', { price: { low: 49, high: 49 } }],
    ['price,sale price', '59,49', { price: { low: 49, high: 49 }, list_price: 59 }],
    ['price,sale price', '59,', { price: { low: 59, high: 59 } }],
    ['regular price,sale price', '59,49', { price: { low: 49, high: 49 }, list_price: 59 }],
    ['price,sale price', '59-69,49', { price: { low: 49, high: 49 }, list_price: 69 }],
    ['msrp', '59', { price: { low: 59, high: 59 } }],
    ['price,msrp', '49,59', { price: { low: 49, high: 49 }, list_price: 59 }],
    ['price,msrp', '59,59', { price: { low: 59, high: 59 } }],
    ['price,list_price', '49,59', { price: { low: 49, high: 49 }, list_price: 59 }],
    ['list_price', '59', { list_price: 59 }],
    ['price', 'on request', { price: 'on request' }],
    ['price', '', {}],
  ])('%s: %s', async (header, row, expected) => {
    expect(await prices(header, row)).toEqual(expected)
  })

  it('keep their currency; one row has one', async () => {
    const rows = await read('title,price,list_price\nA,"12,50 €",\nB,10,£12\nC,$10,12 €\n')
    expect(rows).toMatchObject([
      { product: { price: { low: 12.5, high: 12.5 }, currency: 'EUR' } },
      { product: { price: { low: 10, high: 10 }, list_price: 12, currency: 'GBP' } },
      { product: { price: { low: 10, high: 10 }, list_price: '12 €', currency: '$' } },
    ])
  })
})

describe('lists and objects in a CSV cell', () => {
  it('are split on bars and lines', async () => {
    const product = await readOne('title,best_for,not_for\nA,"x|y\nz",w\n')
    expect(product).toMatchObject({ best_for: ['x', 'y', 'z'], not_for: ['w'] })
  })

  it('may be specs as pairs or JSON, and text that is neither is left for the schema', async () => {
    expect(await readOne('title,specs,spec:Depth\nA,Weight: 2 kg | Ratio: 1:2,9\n')).toMatchObject({
      specs: { Weight: '2 kg', Ratio: '1:2', Depth: '9' },
    })
    expect(await readOne('title,specs\nA,"{""Weight"":2,""__proto__"":{}}"\n')).toMatchObject({
      specs: { Weight: 2 },
    })
    expect(await readOne('title,specs\nA,heavy\n')).toMatchObject({ specs: 'heavy' })
  })

  it('may be specs as Ruby and Python print them', async () => {
    const ruby =
      '{""product_specification""=>[{""key""=>""Type"", ""value""=>""Bracelet""}, {""value""=>""loose""}]}'
    expect(await readOne(`title,product_specifications\nA,"${ruby}"\n`)).toMatchObject({
      specs: { Type: 'Bracelet' },
    })
    expect(
      await readOne(`title,images\nA,"['https://a.example/1.jpg', 'https://a.example/2.jpg']"\n`),
    ).toMatchObject({
      images: [{ url: 'https://a.example/1.jpg' }, { url: 'https://a.example/2.jpg' }],
    })
  })

  it.each([
    ['one pair', '{"product_specification"=>{"key"=>"Type", "value"=>"Bellies"}}', { Type: 'Bellies' }],
    [
      'names in an object',
      '{"details": {"Width": "20 cm", "Depth": "10 cm"}}',
      { Width: '20 cm', Depth: '10 cm' },
    ],
  ])('reads specs that stand inside of another object: %s', async (_, text, specs) => {
    const cell = `"${text.replaceAll('"', '""')}"`
    expect(await readOne(`title,product_specifications\nA,${cell}\n`)).toMatchObject({ specs })
  })

  it('takes words in the place of a number for nothing', async () => {
    const product = await readOne('title,rating,review_count\nA,No rating available,n/a\n')
    expect(product).toEqual({ title: 'A' })
  })

  it('takes levels in columns of their own before a column for the whole', async () => {
    const product = await readOne(
      'title,Warengruppe,Kategorie Ebene 1,Kategorie Ebene 2\nA,X,Garten,Kannen\n',
    )
    expect(product).toMatchObject({ category: ['Garten', 'Kannen'] })
  })

  it('may be themes as JSON', async () => {
    expect(await readOne('title,themes\nA,"[{""theme"":""Sound""}]"\n')).toMatchObject({
      themes: [{ theme: 'Sound' }],
    })
    expect(await readOne('title,themes\nA,[broken\n')).toMatchObject({ themes: '[broken' })
  })

  it('may name sellers before their addresses', async () => {
    const product = await readOne(
      'title,where_to_buy\nA,Corner Shop: https://corner.example/a | https://www.b.example/a\n',
    )
    expect(product.where_to_buy).toEqual([
      { name: 'Corner Shop', url: 'https://corner.example/a' },
      { name: 'b.example', url: 'https://www.b.example/a' },
    ])
  })
})

describe('exports of shop systems without a reader of their own', () => {
  const products = async (text: string, options?: ReaderOptions) =>
    (await read(text, options)).map((row) => ('product' in row ? row.product : row))

  it('rows without a title are more variants of the product above (Squarespace, Vendure)', async () => {
    const rows = await products(
      [
        'Product ID [Non Editable],Product URL,Title,SKU,Option Name 1,Option Value 1,Price,Categories',
        '61a1,desk-tray,Desk Tray,SQ1,Size,Small,45.00,/desk/trays',
        ',,,SQ2,,Large,65.00,',
        '61a2,pen,Brass Pen,SQ3,,,80.00,/desk',
      ].join('\n'),
    )
    expect(rows).toMatchObject([
      { id: 'SQ1', title: 'Desk Tray', group: 'SQ1', options: { Size: 'Small' }, price: { low: 45 } },
      { id: 'SQ2', title: 'Desk Tray', group: 'SQ1', options: { Size: 'Large' }, price: { low: 65 } },
      { id: 'SQ3', title: 'Brass Pen' },
    ])
    expect(rows[2]).not.toHaveProperty('group')
    const [first, second] = await products(
      'name,slug,optionGroups,optionValues,sku,price,taxCategory\nLaptop,laptop,size|RAM,13 in|8GB,L1,1299,standard\n,,,15 in|16GB,L2,1399,standard\n',
    )
    expect(first).toMatchObject({ group: 'laptop', options: { size: '13 in', RAM: '8GB' } })
    expect(second).toMatchObject({
      title: 'Laptop',
      group: 'laptop',
      options: { size: '15 in', RAM: '16GB' },
    })
    expect(first).not.toHaveProperty('category')
  })

  it('a row that lists all choices is the product, and the rows below are its variants (Wix)', async () => {
    const rows = await products(
      [
        'handleId,fieldType,name,sku,price,surcharge,visible,productOptionName1,productOptionDescription1',
        'p1,Product,Tote,T,29.00,,true,Color,#ffffff:White;#000000:Black',
        'p1,Variant,,T-W,,0.00,,,White',
        'p1,Variant,,T-B,,3.00,,,Black',
        'p2,Product,Sleeve,S,35,,false,,',
        'p3,Product,Strap,X,9,,true,,',
      ].join('\n'),
    )
    expect(rows).toMatchObject([
      { id: 'T', title: 'Tote' },
      { id: 'T-W', title: 'Tote', group: 'id:T', options: { Color: 'White' }, price: { low: 29 } },
      { id: 'T-B', group: 'id:T', options: { Color: 'Black' } },
      { id: 'X', title: 'Strap' },
    ])
    expect(rows[0]).not.toHaveProperty('group')
  })

  it('a product that its shop does not show is left out with its variants, and said', async () => {
    const notices: string[] = []
    const rows = await products(
      'title,sku,status,Option Name 1,Option Value 1\nA,1,draft,Size,S\n,2,,,M\nB,3,active,,\nC,4,archived,,\n',
      { onNotice: (text) => notices.push(text) },
    )
    expect(rows).toMatchObject([{ title: 'B' }])
    expect(notices.join()).toContain('3 rows skipped')
    // A column that would hide everything means something else.
    expect(await products('title,sku,visible\nA,1,0\nB,2,0\n')).toHaveLength(2)
  })

  it('a line below the products that only has a sum is no variant', async () => {
    const rows = await read('sku,title,price,Option Name 1,Option Value 1\n1,A,5.00,Size,S\nSum,,5.00,,\n')
    expect(rows[1]).toMatchObject({ product: { id: 'Sum' } })
    expect(rows[1]).not.toMatchObject({ product: { title: expect.anything() } })
  })

  it('remarks in a header are no part of its name (PrestaShop)', async () => {
    const product = await readOne(
      [
        'ID;Active (0/1);Name *;Categories (x,y,z...);Price tax excluded;Reference #;Feature(Name:Value:Position)',
        '1;1;Perceuse;"Accueil,Outillage,Perceuses";129,90;P-18;"Tension:18 V:1,Couple:55 Nm:2"',
      ].join('\n'),
    )
    expect(product).toMatchObject({
      title: 'Perceuse',
      category: ['Outillage', 'Perceuses'],
      price: { low: 129.9 },
      specs: { Tension: '18 V', Couple: '55 Nm' },
    })
  })

  it('rows of one item with variations are one product (Square), and of one product id (Medusa)', async () => {
    const square = await products(
      'Token,Item Name,Variation Name,SKU,Price,Option Name 1,Option Value 1\nA,Mug,Blue,M-B,18,Color,Blue\nB,Mug,Red,M-R,18,Color,Red\nC,Kettle,Regular,K,64,,\n',
    )
    expect(square).toMatchObject([
      { group: 'Mug', options: { Color: 'Blue' } },
      { group: 'Mug', options: { Color: 'Red' } },
      { title: 'Kettle' },
    ])
    const medusa = await products(
      [
        'Product Id,Product Handle,Product Title,Product Status,Variant Title,Variant SKU,Price USD,Option 1 Name,Option 1 Value,Image 1 Url',
        'p1,mug,Mug,published,One,M,12,Size,One,https://m.example/mug.png',
        'p2,pants,Pants,published,S,P-S,33,Size,S,https://m.example/p.png',
        'p2,pants,Pants,published,M,P-M,33,Size,M,https://m.example/p.png',
        'p3,x,Draft,draft,One,X,1,,,',
      ].join('\n'),
    )
    expect(medusa).toMatchObject([
      { title: 'Mug', images: [{ url: 'https://m.example/mug.png' }] },
      { title: 'Pants', group: 'p2', options: { Size: 'S' } },
      { title: 'Pants', group: 'p2', options: { Size: 'M' } },
    ])
    expect(medusa[0]).not.toHaveProperty('where_to_buy')
  })

  it('names and values in columns of their own are specs where there are no variants', async () => {
    const product = await readOne('title,sku,Attribute 1 name,Attribute 1 value(s)\nLamp,1,Socket,E27\n')
    expect(product.specs).toEqual({ Socket: 'E27' })
  })

  it('the only currency sign of a file is that of its prices', async () => {
    expect(await readOne('title,sku,price,basePrice\nÖl,1,"14,95","59,80 € / 1 l"\n')).toMatchObject({
      currency: 'EUR',
    })
    const two = await readOne('title,sku,price,basePrice,freight\nÖl,1,"14,95","59,80 € / 1 l",£4\n')
    expect(two).not.toHaveProperty('currency')
  })
})
