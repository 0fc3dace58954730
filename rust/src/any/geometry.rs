//! The numbers that fix a filter's layout, whichever kind they are of.

use crate::error::Result;
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};

macro_rules! any_geometry {
    ($($variant:ident $module:ident),*) => {
        /// A geometry of any kind.
        ///
        /// ```
        /// use bloomery::{AnyFilter, AnyGeometry, Hasher, Kind};
        ///
        /// let geometry = AnyGeometry::from_values(Kind::Block, &[10, 6, 0, 0, 0, 0, 0, 0])?;
        /// assert_eq!(AnyGeometry::fields(Kind::Block), ["blocks", "k"]);
        /// assert_eq!(geometry.payload_bytes(), 640);
        /// assert!(AnyFilter::new(geometry, Hasher::xxh3(0)).is_ok());
        /// # Ok::<(), bloomery::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum AnyGeometry {
            $(
                #[doc = concat!("Of a ", stringify!($module), " filter.")]
                $variant(crate::$module::Geometry),
            )*
        }

        impl AnyGeometry {
            /// The geometry of a kind with these numbers, in the order of the file.
            pub fn from_values(kind: Kind, values: &Words) -> Result<AnyGeometry> {
                Ok(match kind {
                    $(Kind::$variant => AnyGeometry::$variant(KindGeometry::from_values(values)?),)*
                })
            }

            /// The names of a kind's numbers, in the order of the file.
            pub fn fields(kind: Kind) -> &'static [&'static str] {
                match kind {
                    $(Kind::$variant => crate::$module::Geometry::FIELDS,)*
                }
            }

            /// Whose geometry this is.
            pub fn kind(&self) -> Kind {
                match self {
                    $(AnyGeometry::$variant(_) => Kind::$variant,)*
                }
            }
        }

        $(
            impl From<crate::$module::Geometry> for AnyGeometry {
                fn from(geometry: crate::$module::Geometry) -> AnyGeometry {
                    AnyGeometry::$variant(geometry)
                }
            }
        )*
    };
}

with_kinds!(any_geometry);

impl AnyGeometry {
    /// The numbers, in the order of the file; words that the kind does not use are 0.
    pub fn values(&self) -> Words {
        for_kind!(AnyGeometry, self, g => g.values())
    }

    /// The bytes of the payload.
    pub fn payload_bytes(&self) -> u64 {
        for_kind!(AnyGeometry, self, g => g.payload_bytes())
    }

    /// The bits of the payload, less those that hold no part of a key.
    pub fn payload_bits(&self) -> u64 {
        for_kind!(AnyGeometry, self, g => g.payload_bits())
    }
}
