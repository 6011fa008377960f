/**
 * What shops call the columns of their sheets, in twelve languages, folded as csv-columns compares them: without case,
 * accents, spaces and punctuation.
 */

/** Names as they are written, without accents and spaces; of several languages, the likelier name first. */
const named = (names: string): readonly string[] => names.split(' ')

export const COLUMN_NAMES = {
  id: named('uniqid uniqueid pid asin guid productinternalid internalvariantid internalid'),
  group: named(
    'itemgroupid groupid parentsku parentid parent variantgroup variantgroupid groupsku masterid mastersku styleid vaterartikel identifizierungsspaltevaterartikel',
  ),
  slug: named('slug handle urlkey urlhandle'),
  category: named(
    'category merchantcategory merchantcategorypath merchantproductcategorypath categoryname productcategory categories categorypath productcategorytree producttype googleproductcategory categoryfullname categorycompletename categid categidcompletename maincategory type department ' +
      'kategorie warengruppe kategoriepfad produktgruppe kategorien categorie categories rayon famille categoria categorias reparto ' +
      'kategori kategorier varegruppe varugrupp produktgrupp kategoria kategorie categoriepad',
  ),
  title: named(
    'title name productname producttitle itemname itemtitle titlelong titleshort shorttitle product item ' +
      'titel bezeichnung artikelbezeichnung artikelname produktname produkttitel produktbezeichnung artikeltitel ' +
      'titre nom nomproduit nomduproduit libelle designation intitule produit ' +
      'titulo nombre nombreproducto nombredelproducto denominacion producto titolo nomeprodotto prodotto ' +
      'naam productnaam artikelnaam omschrijvingkort namn produktnamn benamning artikelnamn navn varenavn produktnavn produkttittel tittel ' +
      'nev termeknev termekneve megnevezes nazwa nazwaproduktu nazwatowaru tytul produkt nazev nazevproduktu nazevzbozi nome nomeproduto nomedoproduto produto artikel',
  ),
  brand: named(
    'brand brandname manufacturer manufacturername maker make vendor ' +
      'marke hersteller herstellername markenname marque fabricant marca fabricante marchio produttore merk fabrikant ' +
      'varumarke tillverkare maerke marke producent fabrikat merke produsent marka vyrobce znacka gyarto',
  ),
  brand_domain: named('branddomain brandwebsite manufacturerwebsite'),
  model: named('model modelname modelnumber modelno modell modele modelo modello'),
  description: named(
    'description productdescription longdescription bodyhtml body details descriptionlong shortdescription descriptionshort aboutproduct descriptionsale ' +
      'beschreibung langbeschreibung artikelbeschreibung produktbeschreibung kurzbeschreibung langtext ' +
      'descriptif descriptionlongue descriptioncourte descripcion descripcionlarga descripcioncorta descrizione descrizionelunga ' +
      'omschrijving beschrijving productomschrijving beskrivning produktbeskrivning beskrivelse produktbeskrivelse varebeskrivelse ' +
      'opis opisproduktu dlugiopis popis dlouhypopis kratkypopis descricao descricaolonga leiras termekleiras rovidleiras',
  ),
  verdict: ['verdict'],
  specs: named('specs specifications productspecifications productspecification attributes features feature'),
  themes: ['themes', 'reviewthemes'],
  price: named(
    'price priceusd pricerange variantprice searchprice currentprice sellingprice ourprice yourprice unitprice salesprice finalprice ' +
      'preis verkaufspreis vk vkpreis endpreis stueckpreis einzelpreis bruttopreis preisbrutto ' +
      'prix prixttc prixdevente prixpublic precio precioventa preciodeventa pvp prezzo prezzovendita prezzodivendita ' +
      'prijs verkoopprijs pris forsaljningspris salgspris utsalgspris utpris cena cenabrutto cenasdph cenasprzedazy prodejnicena ' +
      'preco precovenda precodevenda valor ar bruttoar eladasiar fogyasztoiar',
  ),
  sale_price: named(
    'saleprice specialprice offerprice discountprice discountedprice aktionspreis angebotspreis sonderpreis prixpromo prixsolde ' +
      'preciooferta preciorebajado prezzoscontato aanbiedingsprijs kampanjpris reapris tilbudspris cenapromocyjna akcnicena precopromocional akciosar',
  ),
  /** The price before any sale: the list price beside another price, the price when it stands alone. */
  full_price: named(
    'msrp actualprice rrp rrpprice regularprice suggestedretailprice retailprice mrp uvp listenpreis prixconseille pvpr adviesprijs vejledendepris beznacena',
  ),
  price_low: named('pricelow lowprice lowestprice pricemin minprice pricefrom'),
  price_high: named('pricehigh highprice highestprice pricemax maxprice priceto'),
  list_price: named(
    'listprice priceold pricebefore strikeprice compareatprice originalprice wasprice oldprice formerprice initialprice streichpreis prixbarre ordinariepris',
  ),
  currency: named(
    'currency currencycode pricecurrency waehrung wahrung devise moneda valuta valuuta waluta mena moeda',
  ),
  rating: named(
    'rating ratings averagerating avgrating reviewrating reviewscore stars productrating overallrating bewertung',
  ),
  review_count: named(
    'reviewcount reviewscount numberofreviews noofreviews numreviews ratingcount ratingnumber reviews anzahlbewertungen',
  ),
  images: named(
    'images image imageurls imageurl imagelink imagesrc mainimage picture pictures pictureurl photo photos img imgurl imgsrc thumbnail ' +
      'additionalimagelink additionalimages imagelinks ' +
      'bild bilder bildurl bildlink hauptbild produktbild imageprincipale photourl lienimage imagen imagenes urlimagen immagine immagini urlimmagine ' +
      'afbeelding afbeeldingen bildlank billede billeder billedeurl bilde bilder zdjecie zdjecia obrazek obrazky obrazekurl imagem imagens kep kepek kepurl keplink',
  ),
  where_to_buy: named(
    'wheretobuy producturl productlink buyurl buylink url link deeplink merchantdeeplink awdeeplink produktlink produkturl artikellink lien lienproduit urlproduit ' +
      'enlace urlproducto collegamento urlprodotto productpagina lank produktlank adresseurl odkaz ligacao urlproduto',
  ),
  best_for: named('bestfor goodfor recommendedfor'),
  not_for: named('notfor notrecommendedfor'),
  gtin: named(
    'gtin gtin14 gtin13 gtin12 gtin8 ean ean13 eancode eannummer eannr codeean codigoean codiceean eankod kodean upc upca upccode isbn isbn13 ' +
      'barcode variantbarcode strichcode codebarres codigodebarras codigobarras codiceabarre streckkod stregkode strekkode kodkreskowy carovykod vonalkod globaltradeitemnumber',
  ),
  mpn: named(
    'mpn manufacturerpartnumber partnumber partno herstellernummer herstellerartikelnummer herstellernr han referencefabricant',
  ),
  sku: named(
    'variationsku productvariationsku variantsku sku defaultcode customlabel sellersku merchantsku merchantproductid productcode itemnumber itemno itemcode articlenumber articleno stockcode productnumber ' +
      'artikelnummer artikelnr artnr artnummer bestellnummer artikelcode produktnummer reference ref referenceproduit codearticle codeproduit ' +
      'referencia codigo codigoproducto codiceprodotto codice codicearticolo varenummer varenr produktnr kod kodproduktu symbol indeks katalogovecislo kodzbozi ' +
      'cikkszam termekkod productid itemid articleid number nummer id',
  ),
  availability: named(
    'availability stockstatus instock verfugbarkeit disponibilite disponibilidad disponibilita beschikbaarheid tillganglighet dostepnosc dostupnost',
  ),
  released: named('released releasedate launchdate releaseyear'),
  discontinued: named('discontinued isdiscontinued'),
} as const satisfies Record<string, readonly string[]>

/** The order in which columns that are equally distinct are taken for the id of a row. */
export const ID_NAMES = named('id uniqid uniqueid guid pid productid itemid articleid asin')

/** What tells variants of one product apart. */
export const OPTION_NAMES: ReadonlySet<string> = new Set(
  named(
    'color colour size farbe grosse groesse couleur taille talla colore taglia kleur maat farg storlek farve storrelse farge ' +
      'kolor rozmiar barva velikost cor tamanho flavor flavour scent capacity storage pattern style variant variante option length inseam variationswert optionvalue',
  ),
)

/** Words beside the one that counts: with or without tax, of which language, of the product. */
export const SIDE_WORDS: ReadonlySet<string> = new Set(
  named(
    'c brutto gross incl inkl including included inc vat mwst ust ttc moms dph iva btw tax vn s in of the my ' +
      'de en fr it es nl pl cs cz sv da dk no nb pt us uk gb deu eng product products produkt produit producto prodotto artikel article item',
  ),
)
export const NET_WORDS: ReadonlySet<string> = new Set(
  named('netto net ht exkl excl excluding excluded zzgl ohne bezdph'),
)

/** Names of what is no fact about a product: ids, stock, dates, tax, search engines, addresses, the shop's own affairs. */
export const NO_SPEC =
  /(^|_)(id|ids|is|has|no|nr|uuid|guid|hash|sku|ean|url|uri|link|href|src|path|file|seo|meta|tax|vat|qty|ek|status|index|rank|row|sort|tags?|keywords?|sale|from|to|notes?|visible|active|enabled|published|featured)(_|$)|stock|inventory|quantity|lager|bestand|verfugbar|availab|steuer|mwst|taxclass|timestamp|datum|date(_|$)|created|updated|modified|crawl|scrape|cost|einkauf|margin|shipping|versand|frakt|livraison|verzend|doprava|lieferant|supplier|price|preis|prix|precio|prezzo|discount|rabatt|rating|review|position|locale|language|website|template|layout|related|upsell|crosssell|seller|parentage|variation_theme|sales_channel|user_name|image|bild|photo|breadcrumb|skladem|zasob|voorraad|existencias|giacenza|lagersaldo/
